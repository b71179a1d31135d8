await new Promise((resolve) => setTimeout(resolve, Number(process.argv[2])))
await import('./old-stdio.js')
