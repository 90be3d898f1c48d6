import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseWatchPath } from '../../src/compat/watch-path.ts';

const CORE = { group: '', version: 'v1' };
const APPS = { group: 'apps', version: 'v1' };

describe('path of a watch', () => {
  for (const [path, expected] of [
    ['/api/v1/pods', { resource: { ...CORE, resource: 'pods' } }],
    ['/api/v1/namespaces/web/pods', { resource: { ...CORE, resource: 'pods', namespace: 'web' } }],
    [
      '/api/v1/namespaces/web/pods/web-0',
      { resource: { ...CORE, resource: 'pods', namespace: 'web' }, name: 'web-0' },
    ],
    ['/api/v1/namespaces', { resource: { ...CORE, resource: 'namespaces' } }],
    ['/api/v1/namespaces/web', { resource: { ...CORE, resource: 'namespaces' }, name: 'web' }],
    ['/api/v1/nodes/n1.example', { resource: { ...CORE, resource: 'nodes' }, name: 'n1.example' }],
    ['/apis/apps/v1/deployments', { resource: { ...APPS, resource: 'deployments' } }],
    [
      '/apis/apps/v1/namespaces/web/deployments',
      { resource: { ...APPS, resource: 'deployments', namespace: 'web' } },
    ],
    [
      '/apis/example.com/v1alpha1/widgets',
      { resource: { group: 'example.com', version: 'v1alpha1', resource: 'widgets' } },
    ],
    [
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node',
      {
        resource: { group: 'rbac.authorization.k8s.io', version: 'v1', resource: 'clusterroles' },
        name: 'system:node',
      },
    ],
  ] as const) {
    it(`${path} is known`, () => assert.deepEqual(parseWatchPath(path), expected));
  }

  for (const path of [
    '',
    'api/v1/pods',
    '/api/v1',
    '/api/v1/',
    '/api/v1/pods/',
    '/api/v1//pods',
    '/api/v1/pods?labelSelector=a',
    '/api/v1/pods#a',
    '/api/v1/pods%2Fa',
    '/api/v1/../secrets',
    '/api/v1/watch/pods',
    '/api/v1/namespaces/web/status',
    '/api/v1/namespaces/web/finalize',
    '/api/v1/namespaces/web/pods/web-0/log',
    '/api/v1/nodes/n1/proxy',
    '/apis/apps/v1',
    '/apis/apps/v1/namespaces/web',
    '/metrics',
    '/prefix/api/v1/pods',
  ]) {
    it(`${path || 'nothing'} is left to the list function`, () =>
      assert.equal(parseWatchPath(path), undefined));
  }
});
