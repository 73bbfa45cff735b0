/** Network errors by code; the original message may contain an address with its password. */
export const NETWORK_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at this address',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name cannot be looked up',
  ETIMEDOUT: 'no answer in time',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate of the server is not trusted',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate of the server is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate of the server is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of the server is for another host',
};
