export { buildOnce, builtFolder, cacheFolder } from './cache.ts';
export { runTool, versionOfTool } from './tool.ts';
