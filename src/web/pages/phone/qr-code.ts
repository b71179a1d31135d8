import { encode } from 'uqr'
import { type Markup, markup } from '../layout/markup.ts'

/** The light margin that readers need, in modules. */
const border = 4

/** A text as a QR code. It is black on white in every colour scheme: many readers know nothing else. */
export function qrCode(text: string, label: string): Markup {
  const { data, size } = encode(text, { ecc: 'L', border })
  const dark = data.flatMap((row, y) => runs(row).map(([from, length]) => `M${from} ${y}h${length}v1h-${length}z`))
  return markup`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${dark.join('')}" fill="#000"/></svg>`
}

/** Where dark modules follow each other in one row. */
function runs(row: readonly boolean[]): [from: number, length: number][] {
  const found: [number, number][] = []
  for (const [at, isDark] of row.entries()) {
    const last = found.at(-1)
    if (isDark && last !== undefined && last[0] + last[1] === at) last[1] += 1
    else if (isDark) found.push([at, 1])
  }
  return found
}
