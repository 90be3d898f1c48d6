/**
 * kubering's main job in one command: a fake API server in another process, a cache of its Pods here, ten
 * seconds of changes, and in the end a comparison of the two, object by object. Or a resource of a real cluster,
 * which is only read.
 */
import { parseArgs } from 'node:util';
import { parseResource, watchCluster } from './demo/cluster.ts';
import { Display } from './demo/display.ts';
import { runDemo } from './demo/run.ts';

const USAGE = `npm run demo -- [--pods N] [--seconds S] [--rate R] [--metrics-port P] [--json]
  --pods N      Pods that exist at the start (default 20000)
  --seconds S   how long they change (default 10)
  --rate R      creates, updates and deletes a second (default 2000)
  --json        print one JSON line and nothing else
  --metrics-port P   serve /metrics on 127.0.0.1:P meanwhile, also for a cluster; 0 for any free port

npm run demo -- --kubeconfig FILE [--context NAME] [--resource R] [--seconds S] [--metrics-port P] [--json]
  watches a cluster and writes nothing, until Ctrl-C or for S seconds
  --kubeconfig FILE   which cluster; with --context or --resource alone that of kubectl
  --context NAME      a context in place of the current one
  --resource R        such as pods.v1 (default) or deployments.v1.apps`;

/** Exit code when options or the kubeconfig are wrong. */
const MISUSE = 2;
/** Exit code when it did not work out. */
const FAILURE = 1;

type Options = ReturnType<typeof readOptions>;

const options = readOptions();
process.exitCode = options.isCluster ? await cluster(options) : await fakeServer(options);

async function fakeServer({ pods, seconds, rate, json, metricsPort }: Options): Promise<number> {
  const summary = await runDemo({ pods, seconds: seconds ?? 10, rate, json, metricsPort });
  return summary.missing + summary.extra + summary.different === 0 ? 0 : FAILURE;
}

async function cluster({
  kubeconfig,
  context,
  what,
  resource,
  seconds,
  json,
  metricsPort,
}: Options): Promise<number> {
  const end = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => end.abort());
  const timer = seconds === undefined ? undefined : setTimeout(() => end.abort(), seconds * 1000);
  try {
    await watchCluster(
      { kubeconfig, context, resource, metricsPort, signal: end.signal },
      new Display({ isJson: json, what }),
    );
    return 0;
  } catch (error) {
    console.error((error as Error).message);
    return (error as Error).name === 'CredentialsError' ? MISUSE : FAILURE;
  } finally {
    clearTimeout(timer);
  }
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        pods: { type: 'string' },
        seconds: { type: 'string' },
        rate: { type: 'string' },
        kubeconfig: { type: 'string' },
        context: { type: 'string' },
        resource: { type: 'string' },
        'metrics-port': { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    const { kubeconfig, context, resource = 'pods.v1', pods, rate, json } = values;
    const isCluster = [kubeconfig, context, values.resource].some((value) => value !== undefined);
    if (isCluster && (pods !== undefined || rate !== undefined)) {
      throw new Error('--pods and --rate are of the fake server; a cluster is only read');
    }
    return {
      isCluster,
      kubeconfig,
      context,
      what: resource,
      resource: parseResource(resource),
      pods: wholeNumber('pods', pods ?? '20000', 1),
      rate: wholeNumber('rate', rate ?? '2000', 0),
      seconds: values.seconds === undefined ? undefined : wholeNumber('seconds', values.seconds, 1),
      metricsPort: values['metrics-port'] === undefined ? undefined : portNumber(values['metrics-port']),
      json,
    };
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(MISUSE);
  }
}

function wholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new Error(`--${name} is a whole number from ${least} on, not '${text}'`);
}

function portNumber(text: string): number {
  const port = wholeNumber('metrics-port', text, 0);
  if (port > 65_535) throw new Error(`--metrics-port is at most 65535, not ${port}`);
  return port;
}
