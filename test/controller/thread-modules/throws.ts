throw new Error('it can not be loaded');
