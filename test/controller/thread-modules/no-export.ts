export const reconcil = () => {};
