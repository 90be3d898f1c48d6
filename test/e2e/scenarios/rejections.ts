/** A promise that rejects with nobody listening ends a process of a user: none may, whatever fails. */
const rejections: unknown[] = [];

process.on('unhandledRejection', (reason) => rejections.push(reason));

export function failedRejections(): readonly unknown[] {
  return rejections;
}
