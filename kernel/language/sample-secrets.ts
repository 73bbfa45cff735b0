/** Secrets that stand in tutorials and examples: everybody who attacks a service tries them first. Data and one question. */
const SAMPLES: ReadonlySet<string> = new Set([
  'secret',
  'mysecret',
  'mysecretkey',
  'mysupersecret',
  'mysupersecretkey',
  'supersecret',
  'supersecretkey',
  'topsecret',
  'secretkey',
  'secretsecret',
  'yoursecret',
  'yoursecretkey',
  'yourjwtsecret',
  'your256bitsecret',
  'your384bitsecret',
  'your512bitsecret',
  'jwtsecret',
  'jwtsecretkey',
  'shhhhh',
  'keyboardcat',
  'changeme',
  'changethis',
  'replaceme',
  'password',
  'password1',
  'password123',
  'passwd',
  'admin',
  'root',
  'test',
  'testkey',
  'testsecret',
  'example',
  'examplekey',
  'demo',
  'default',
  'qwerty',
  'letmein',
  'salt',
  'mysalt',
  'key',
  'mykey',
  'encryptionkey',
  'yourencryptionkey',
  'token',
  'abc123',
  'foobar',
]);

/** Also one character repeated, and runs such as `0123456789` or `abcdef`. */
export function isSampleSecret(text: string): boolean {
  const plain = text.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (plain === '') return false;
  return SAMPLES.has(plain) || /^(.)\1*$/.test(plain) || isRun(plain);
}

/** Every character is the one after its neighbour; digits go round. */
function isRun(text: string): boolean {
  for (let i = 1; i < text.length; i++) {
    const step = text.charCodeAt(i) - text.charCodeAt(i - 1);
    if (step !== 1 && !(text[i - 1] === '9' && (text[i] === '0' || text[i] === 'a'))) return false;
  }
  return true;
}
