import { readFile } from 'node:fs/promises';
import { Agent, fetch } from 'undici';
import { CredentialsError, safeCause } from './errors.ts';

/** Clocks differ, and a request takes time: tokens are renewed so long before they end. */
const EXPIRY_LEEWAY_MS = 30_000;

/** An identity provider that takes longer is as good as down. */
const ANSWER_LIMIT_MS = 30_000;

/** The configuration of the auth provider `oidc` in a kubeconfig. */
export type OidcConfig = Record<string, string | undefined>;

/**
 * Renews the id token of a user when it ends or was refused, and keeps the new tokens in the user's entry, where
 * client-node's API clients find them. They are not written to the kubeconfig file.
 *
 * This is the `refresh_token` grant of RFC 6749 §6. client-node 2.0.1 has it too, but calls its OpenID library with
 * arguments that the library refuses.
 *
 * @param refresh - the token was refused
 * @throws CredentialsError when there is no valid token and none can be had
 */
export async function renewIdToken(config: OidcConfig, refresh: boolean, nowMs: number): Promise<void> {
  const idToken = config['id-token'];
  const endsMs = idToken === undefined ? 0 : expiryOf(idToken);
  if (!refresh && nowMs < endsMs - EXPIRY_LEEWAY_MS) return;
  if (!canRenew(config)) {
    // A server may think otherwise about the time; if not, its 401 brings us here again.
    if (idToken !== undefined && !refresh) return;
    throw failed(
      'it was refused or is missing, and the entry has no refresh-token, client-id or idp-issuer-url to renew it',
    );
  }
  const agent = await agentFor(config);
  try {
    await renew(config, agent);
  } catch (error) {
    throw error instanceof CredentialsError
      ? error
      : failed(`it can't be renewed: ${safeCause(error).message}`, error);
  } finally {
    await agent.close();
  }
}

async function renew(config: OidcConfig, agent: Agent): Promise<void> {
  const issuer = config['idp-issuer-url']!.replace(/\/$/, '');
  const metadata = await answerOf(`${issuer}/.well-known/openid-configuration`, agent);
  const endpoint = metadata.token_endpoint;
  if (typeof endpoint !== 'string') throw failed('the identity provider names no token endpoint');
  const tokens = await answerOf(endpoint, agent, grant(config, metadata));
  if (typeof tokens.id_token !== 'string') throw failed('the identity provider gave no id token');
  config['id-token'] = tokens.id_token;
  // Many providers give another refresh token each time, and take the old one no more.
  if (typeof tokens.refresh_token === 'string') config['refresh-token'] = tokens.refresh_token;
}

function grant(config: OidcConfig, metadata: Record<string, unknown>) {
  const clientId = config['client-id']!;
  const secret = config['client-secret'];
  const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: config['refresh-token']! });
  const methods = metadata.token_endpoint_auth_methods_supported;
  const takesInBody = Array.isArray(methods) && methods.includes('client_secret_post');
  if (!secret || takesInBody) {
    body.set('client_id', clientId);
    if (secret) body.set('client_secret', secret);
    return { method: 'POST', body };
  }
  const pair = `${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`;
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  return { method: 'POST', body, headers: { authorization } };
}

async function answerOf(
  url: string,
  dispatcher: Agent,
  request: Parameters<typeof fetch>[1] = {},
): Promise<Record<string, unknown>> {
  const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
  const response = await fetch(url, { ...request, dispatcher, signal, redirect: 'error' });
  const text = await response.text();
  const { host } = new URL(url);
  // Its body may repeat what it was sent.
  if (!response.ok) throw failed(`${host} answers ${response.status}`);
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw failed(`${host} answers with something else than JSON`);
  }
}

async function agentFor(config: OidcConfig): Promise<Agent> {
  const file = config['idp-certificate-authority'];
  const data = config['idp-certificate-authority-data'];
  const ca = file ? await readFile(file) : data ? Buffer.from(data, 'base64') : undefined;
  return new Agent({ allowH2: false, ...(ca !== undefined && { connect: { ca } }) });
}

function canRenew(config: OidcConfig): boolean {
  return Boolean(config['client-id'] && config['refresh-token'] && config['idp-issuer-url']);
}

/** In milliseconds since 1970; 0 for a token that does not say. */
function expiryOf(idToken: string): number {
  try {
    const payload = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()) as {
      exp?: unknown;
    };
    return typeof payload.exp === 'number' ? payload.exp * 1000 : 0;
  } catch {
    return 0;
  }
}

function failed(what: string, error?: unknown): CredentialsError {
  const message = `no valid OIDC id token: ${what}; log in again with the tool that made this kubeconfig`;
  return new CredentialsError(message, {
    code: 'oidc-failed',
    ...(error !== undefined && { cause: safeCause(error) }),
  });
}
