// The health check of the container: node healthy.js <url>. Exits with 0 if the url answers 2xx.
const url = process.argv[2] ?? 'http://127.0.0.1:9464/healthz'
try {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_500) })
  if (!response.ok) throw new Error(`it answered ${response.status}`)
} catch (error) {
  console.error(`${url}: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}
