/** Tests that cannot run here, and why: a reason names the missing server and the command that provides it. */
export const NO_SHARED = 'the published vectors and definitions are not in ../shared';
export const NO_BROWSER = 'no browser; `apt-get install chromium`, or CHROMIUM names one';
export const NO_POSTGRES = 'no PostgreSQL; `apt-get install postgresql`, or TEST_DATABASE_URL names one';
export const NO_REDIS = 'no Redis; `apt-get install redis-server`, or TEST_REDIS_URL names one';
export const NO_MONGO = 'no MongoDB; TEST_MONGOD=$(.ci/mongod FOLDER) makes one, or TEST_MONGO_URL names one';
export const NO_MARIADB = 'no MariaDB; `apt-get install mariadb-server`, or TEST_MARIADB_URL names one';
export const NO_MYSQL = 'no MySQL; TEST_MYSQLD=$(.ci/mysqld FOLDER) makes one, or TEST_MYSQL_URL names one';
export const NO_S3 =
  'no S3 store; `apt-get install ceph-mon ceph-osd radosgw ceph-common`, or TEST_S3_ENDPOINT names one';
export const NO_EDITOR = 'no VS Code; TEST_VSCODE=$(.ci/vscode FOLDER) makes one';
export const NO_EDITORS = 'no Neovim and Helix; TEST_EDITORS=$(.ci/editors FOLDER) makes them';
export const NO_HAPROXY = 'no HAProxy; `apt-get install haproxy`, or TEST_HAPROXY names one';

const reasons = new WeakMap<object, string>();

/** Skips the test, or all tests of the suite of this hook. */
export function skipTest(context: Mocha.Context, reason: string): never {
  const test = context.test as Mocha.Test | Mocha.Hook | undefined;
  if (test !== undefined) reasons.set(test.type === 'hook' ? (test.parent ?? test) : test, reason);
  return context.skip();
}

/** Why a skipped test was skipped: its own reason, or that of a suite around it. */
export function skipReason(test: Mocha.Test): string {
  let place: Mocha.Test | Mocha.Suite | undefined = test;
  while (place !== undefined) {
    const reason = reasons.get(place);
    if (reason !== undefined) return reason;
    place = place.parent;
  }
  return 'no reason given';
}

/** Skips the suite of this hook unless the server is found. */
export async function skipWithout(context: Mocha.Context, server: Promise<object>): Promise<void> {
  const found = await server;
  if ('skip' in found) skipTest(context, String(found.skip));
}
