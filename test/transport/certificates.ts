/** Certificates that are made while a test runs. */
import { generate } from 'selfsigned';

const DAY_MS = 86_400_000;

/** A certificate and its private key, both PEM. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** All fields are optional. */
export interface IdentityOptions {
  /** A group, in the words of Kubernetes. */
  readonly organization?: string;
  /** For servers on loopback. */
  readonly isServer?: boolean;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** Validity of a certificate that has ended. */
export const EXPIRED = { notBefore: new Date('2020-01-01'), notAfter: new Date('2020-02-01') };

/** A certificate authority. */
export class Authority {
  readonly #self: Identity;

  private constructor(self: Identity) {
    this.#self = self;
  }

  static async create(commonName: string): Promise<Authority> {
    const { cert, private: key } = await generate([{ name: 'commonName', value: commonName }], {
      ...KIND,
      ...validity({}),
      extensions: [
        { name: 'basicConstraints', cA: true, critical: true },
        { name: 'keyUsage', keyCertSign: true, critical: true },
      ],
    });
    return new Authority({ cert, key });
  }

  get cert(): string {
    return this.#self.cert;
  }

  /** A certificate for a server or a client, valid from yesterday to tomorrow unless said otherwise. */
  async issue(commonName: string, options: IdentityOptions = {}): Promise<Identity> {
    const names = [{ name: 'commonName', value: commonName }];
    if (options.organization !== undefined) {
      names.push({ name: 'organizationName', value: options.organization });
    }
    const { cert, private: key } = await generate(names, {
      ...KIND,
      ...validity(options),
      ca: this.#self,
      extensions: [
        { name: 'basicConstraints', cA: false },
        options.isServer === true
          ? { name: 'subjectAltName', altNames: LOOPBACK }
          : { name: 'extKeyUsage', clientAuth: true },
      ],
    });
    return { cert, key };
  }
}

const KIND = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

const LOOPBACK: { type: 2 | 7; value?: string; ip?: string }[] = [
  { type: 2, value: 'localhost' },
  { type: 7, ip: '127.0.0.1' },
];

function validity({ notBefore, notAfter }: IdentityOptions) {
  return {
    notBeforeDate: notBefore ?? new Date(Date.now() - DAY_MS),
    notAfterDate: notAfter ?? new Date(Date.now() + DAY_MS),
  };
}
