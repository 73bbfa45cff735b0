/** A response that is not a success. Fastify reads `statusCode` of an error, Koa `status`. */
export class Refusal extends Error {
  readonly status: number;
  readonly statusCode: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
    this.statusCode = status;
  }
}
