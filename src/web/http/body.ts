/** Reads a posted form. Stops reading a body that is longer than `limit` bytes. */
export async function readFormBody(
  { body, headers }: Request,
  limit: number,
): Promise<FormData | 'too-large' | 'no-form'> {
  const type = headers.get('content-type') ?? ''
  if (Number(headers.get('content-length')) > limit) return 'too-large'
  const bytes = await readBytes(body, limit)
  if (bytes === undefined) return 'too-large'
  // `formData()` below would read it too, at ten times the cost.
  if (/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return urlencoded(bytes)
  try {
    return await new Response(new Blob(bytes), { headers: { 'content-type': type } }).formData()
  } catch {
    return 'no-form'
  }
}

/** Reads a body as text; undefined if it is longer than `limit` bytes. */
export async function readTextBody({ body, headers }: Request, limit: number): Promise<string | undefined> {
  if (Number(headers.get('content-length')) > limit) return undefined
  const bytes = await readBytes(body, limit)
  return bytes && Buffer.concat(bytes).toString()
}

async function readBytes(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<Uint8Array<ArrayBuffer>[] | undefined> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  const reader = body?.getReader()
  for (;;) {
    const { value } = (await reader?.read()) ?? {}
    if (value === undefined) return chunks
    size += value.length
    if (size > limit) return undefined
    chunks.push(new Uint8Array(value))
  }
}

function urlencoded(bytes: readonly Uint8Array[]): FormData {
  const form = new FormData()
  for (const [name, value] of new URLSearchParams(Buffer.concat(bytes).toString())) form.append(name, value)
  return form
}
