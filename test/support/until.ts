/** Waits for what tells nobody that it has happened: polls with a deadline, and says what it waited for. */
export async function until(check: () => boolean | Promise<boolean>, what: string, ms = 15_000): Promise<void> {
  const end = Date.now() + ms;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`did not happen in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
