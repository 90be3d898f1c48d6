import { describeInformers } from './suite/informers.ts';
import { openRealServer } from './suite/real-server.ts';

describeInformers(openRealServer);
