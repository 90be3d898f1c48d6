import { CredentialsError, codeOfError, safeCause, TransportError, withoutUserInfo } from './errors.ts';
import { SOCKS_FAILED } from './socks-connector.ts';

type Explanation = readonly [code: string, what: string, remedy: string];

const REFUSED: Explanation = [
  'connect-failed',
  'no connection',
  'check that the server is up and its URL is right',
];
const RESET: Explanation = ['connection-reset', 'the connection broke', ''];
const TIMED_OUT: Explanation = [
  'connect-timeout',
  'no connection in time',
  'check the network between here and the server',
];
const WRONG_CA: Explanation = [
  'tls-failed',
  'the certificate of the server is not signed by a trusted CA',
  'set certificate-authority-data of the cluster to the CA of this server',
];
const WRONG_NAME: Explanation = [
  'tls-failed',
  'the certificate of the server is for another host',
  'use a URL with a host that the certificate names, or set tls-server-name of the cluster',
];
const EXPIRED: Explanation = [
  'tls-failed',
  'the certificate of the server has expired or is not yet valid',
  'renew it',
];

const PROXY: Explanation = [
  'proxy-failed',
  'the proxy made no connection',
  'check proxy-url of the cluster (or HTTPS_PROXY), its user and password, and what it may reach',
];

const CLIENT_REFUSED: Explanation = [
  'tls-failed',
  'the server does not accept the client certificate',
  'renew the client certificate of the user, and check that it is signed by the CA that the server asks for',
];

const OF_CODE: Readonly<Record<string, Explanation>> = {
  ECONNREFUSED: REFUSED,
  ENOTFOUND: REFUSED,
  EAI_AGAIN: REFUSED,
  EHOSTUNREACH: REFUSED,
  ENETUNREACH: REFUSED,
  ETIMEDOUT: TIMED_OUT,
  UND_ERR_CONNECT_TIMEOUT: TIMED_OUT,
  ECONNRESET: RESET,
  EPIPE: RESET,
  UND_ERR_SOCKET: RESET,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: RESET,
  HPE_INVALID_EOF_STATE: RESET,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: WRONG_CA,
  UNABLE_TO_GET_ISSUER_CERT: WRONG_CA,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: WRONG_CA,
  DEPTH_ZERO_SELF_SIGNED_CERT: WRONG_CA,
  SELF_SIGNED_CERT_IN_CHAIN: WRONG_CA,
  CERT_SIGNATURE_FAILURE: WRONG_CA,
  ERR_TLS_CERT_ALTNAME_INVALID: WRONG_NAME,
  UND_ERR_PRX_TLS: WRONG_NAME,
  UND_ERR_PRX_CONN: PROXY,
  [SOCKS_FAILED]: PROXY,
  // Own aborts are silent, so this one is undici's for a tunnel that the proxy refused.
  UND_ERR_ABORTED: PROXY,
  CERT_HAS_EXPIRED: EXPIRED,
  CERT_NOT_YET_VALID: EXPIRED,
};

const OTHER_TLS: Explanation = [
  'tls-failed',
  'TLS could not be set up',
  'check certificates, key and protocol of both sides',
];
const NO_HTTP: Explanation = [
  'no-http',
  'what came is no HTTP',
  'check scheme, host and port of the server URL',
];
const OTHER: Explanation = ['request-failed', 'the request failed', ''];

/**
 * Makes an error of undici, Node or the provider one that says what happened, to which server, and what to do.
 *
 * @param names - of cluster and user, when they are known
 */
export function describeTransportError(error: unknown, server: string, names = ''): Error {
  if (error instanceof TransportError || error instanceof CredentialsError) return error;
  const isOfProxy = error instanceof Error && PROXY_AUTHENTICATION.test(error.message);
  const [code, what, remedy] = isOfProxy ? PROXY : explain(codeOfError(error));
  // Causes are copied: undici's carry bytes of the response, which may be those of a Secret.
  const cause = safeCause(error, withoutUserInfo);
  const said = `${what}: ${cause.message}`;
  const message = `${server}: ${remedy === '' ? said : `${said}; ${remedy}`}`;
  return new TransportError(names === '' ? message : `${message} (${names})`, { code, cause });
}

function explain(code: string): Explanation {
  const known = OF_CODE[code];
  if (known !== undefined) return known;
  if (CERTIFICATE_ALERT.test(code)) return CLIENT_REFUSED;
  if (code.startsWith('HPE_')) return NO_HTTP;
  return code === 'EPROTO' || code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') ? OTHER_TLS : OTHER;
}

/** undici has no code for a 407 of a proxy that forwards. */
const PROXY_AUTHENTICATION = /^Proxy Authentication Required/;

/** What a server says of our certificate, in the words of different versions of OpenSSL. */
const CERTIFICATE_ALERT =
  /^ERR_SSL_.*ALERT_(?:BAD_CERTIFICATE|CERTIFICATE_\w+|UNKNOWN_CA|UNSUPPORTED_CERTIFICATE)$/;
