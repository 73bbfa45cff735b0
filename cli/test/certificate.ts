/** A certificate for the hosts of a test, made for one run and its own authority. */
import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

const encodeDer = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
};
const encodeSequence = (...parts: readonly Buffer[]): Buffer => encodeDer(0x30, ...parts);
/** Object identifiers, encoded. */
const OID = {
  ecdsaWithSha256: Buffer.from('06082a8648ce3d040302', 'hex'),
  commonName: Buffer.from('0603550403', 'hex'),
  basicConstraints: Buffer.from('0603551d13', 'hex'),
  subjectAltName: Buffer.from('0603551d11', 'hex'),
};
const TRUE = Buffer.from('0101ff', 'hex');
const encodeTime = (at: Date): Buffer => encodeDer(0x18, Buffer.from(at.toISOString().replace(/[-:T]|\.\d+/g, '')));
const encodeExtension = (oid: Buffer, critical: boolean, value: Buffer): Buffer =>
  encodeSequence(oid, ...(critical ? [TRUE] : []), encodeDer(0x04, value));

export function makeCertificate(names: readonly string[]): Certificate {
  const pair = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const algorithm = encodeSequence(OID.ecdsaWithSha256);
  const name = encodeSequence(
    encodeDer(0x31, encodeSequence(OID.commonName, encodeDer(0x0c, Buffer.from('Lintel tests')))),
  );
  const day = 86_400_000;
  const alternatives = encodeSequence(...names.map((one) => encodeDer(0x82, Buffer.from(one))));
  const serial = randomBytes(8);
  serial[0] = 0x11;
  const content = encodeSequence(
    encodeDer(0xa0, encodeDer(0x02, Buffer.from([2]))),
    encodeDer(0x02, serial),
    algorithm,
    name,
    encodeSequence(encodeTime(new Date(Date.now() - day)), encodeTime(new Date(Date.now() + day))),
    name,
    pair.publicKey,
    encodeDer(
      0xa3,
      encodeSequence(
        encodeExtension(OID.basicConstraints, true, encodeSequence(TRUE)),
        encodeExtension(OID.subjectAltName, false, alternatives),
      ),
    ),
  );
  const signature = sign('sha256', content, createPrivateKey(pair.privateKey));
  const whole = encodeSequence(content, algorithm, encodeDer(0x03, Buffer.from([0]), signature));
  const lines = whole.toString('base64').replace(/(.{64})/g, '$1\n');
  return { cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`, key: pair.privateKey };
}
