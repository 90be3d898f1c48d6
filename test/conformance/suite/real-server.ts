import { ADMIN, type ClusterAccess, kubeConfigOf } from '../harness/cluster-access.ts';
import { Connection } from '../harness/connection.ts';
import { ClusterControl } from '../harness/control.ts';
import { defineWidgets, type ServerUnderTest } from './server-under-test.ts';

/** The cluster that `run.ts` started, as the suite wants a server, and as tests that break it need it. */
export interface RealServer extends ServerUnderTest {
  readonly access: ClusterAccess;
  readonly control: ClusterControl;
  close(): Promise<void>;
}

export async function openRealServer(): Promise<RealServer> {
  const control = new ClusterControl();
  await control.restore();
  const access = await control.access();
  const api = new Connection({ url: access.url, ca: access.ca, token: ADMIN.token });
  await defineWidgets(api);
  return {
    name: 'kube-apiserver',
    kubeConfig: () => kubeConfigOf(access, { token: ADMIN.token }),
    api,
    access,
    control,
    close: () => api.close(),
  };
}
