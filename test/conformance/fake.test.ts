import { openFakeServer } from './suite/fake-server.ts';
import { describeInformers } from './suite/informers.ts';

describeInformers(openFakeServer);
