/** Secrets that look like nothing in particular, so that no pattern finds them, and that are nowhere else. */
export const SECRETS = {
  token: 'plum-of-token',
  password: 'pear-of-password',
  key: 'cherry-of-key',
  execToken: 'quince-of-plugin',
  execEnvironment: 'medlar-of-environment',
  oidc: 'damson-of-oidc',
  proxyPassword: 'apple-of-proxy',
  content: 'the content of a Secret, sloe',
} as const;
