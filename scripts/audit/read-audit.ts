/** What `npm audit --json` says, in lines. */

export interface Audit {
  /** `high: undici <6.1 (via …)`, one for each package. */
  readonly advisories: readonly string[];
  /** Why nothing is known; undefined when the registry answered. */
  readonly problem: string | undefined;
}

interface Vulnerability {
  readonly name: string;
  readonly severity: string;
  readonly range: string;
  readonly via: readonly (string | { readonly title: string })[];
}

interface Report {
  readonly vulnerabilities?: Readonly<Record<string, Vulnerability>>;
  readonly message?: string;
  readonly error?: { readonly summary?: string; readonly code?: string };
}

/** @param json - '' when npm said nothing, because it is not there or took too long */
export function readAudit(json: string): Audit {
  let report: Report;
  try {
    report = JSON.parse(json) as Report;
  } catch {
    return { advisories: [], problem: 'npm audit gave no answer' };
  }
  const { vulnerabilities, error, message } = report;
  if (vulnerabilities === undefined) {
    return {
      advisories: [],
      problem: error?.summary || error?.code || message || 'the registry has no advisories',
    };
  }
  const advisories = Object.values(vulnerabilities).map(({ severity, name, range, via }) => {
    const reasons = via.map((one) => (typeof one === 'string' ? one : one.title));
    return `${severity}: ${name} ${range} (${reasons.join(', ')})`;
  });
  return { advisories, problem: undefined };
}
