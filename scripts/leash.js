// Preloaded into the test processes: one whose starter is gone ends too, and so frees the servers it keeps.
process.on('disconnect', () => process.exit(1))
