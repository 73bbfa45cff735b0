/** An answer that is not a success. Fastify and Koa read `statusCode` and `status` of an error, so both are here. */
export class Refusal extends Error {
  readonly status: number;
  readonly statusCode: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
    this.statusCode = status;
  }
}
