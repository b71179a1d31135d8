/** A mark for one or more characters, as text surfaces write it: `‹U+202E›`, `‹а U+0430, not a›`. */
const mark = /‹(?:[^‹›]*? )??((?:U\+[\dA-F]{4,6})(?: U\+[\dA-F]{4,6})*)(?:, [^‹›]*)?›/gsu

/** The text with every mark replaced by the characters that it names. */
export function unmarked(text: string): string {
  return text.replace(mark, (_, codes: string) => charactersOf(codes))
}

function charactersOf(codes: string): string {
  return codes
    .split(' ')
    .map((code) => String.fromCodePoint(Number.parseInt(code.slice(2), 16)))
    .join('')
}

/** What a person sees of a page: no folded part, no hidden field, and of a box only what fits into it. */
export function readPage(html: string): string {
  const text = html
    .replace(/<(style|script|head)\b.*?<\/\1>/gs, '')
    .replace(/<details class="more">.*?<\/details>/gs, '')
    .replace(/<mark title="[^"]*">((?:(?!<\/mark>).)*)<\/mark>/gsu, (_, inside: string) => readMark(inside))
    .replace(/<input [^>]*type="checkbox"([^>]*)>/g, (_, rest: string) =>
      rest.includes(' checked') ? 'true' : 'false',
    )
    .replace(/<input [^>]*type="text"[^>]*value="([^"]*)">/g, (_, value: string) => (isShort(value) ? value : ''))
    .replace(/<textarea [^>]*>\n/g, '')
    .replace(/<[^>]*>/g, '')
  return decoded(text)
}

/** The characters that a mark of a page names. */
function readMark(inside: string): string {
  const codes = /(?:^| )(U\+[\dA-F]{4,6}(?: U\+[\dA-F]{4,6})*)$/.exec(inside)?.[1] ?? ''
  // Encoded, so that what a mark names cannot be taken for a tag.
  return [...charactersOf(codes)].map((one) => `&#${one.codePointAt(0)};`).join('')
}

function isShort(value: string): boolean {
  return decoded(value).length <= 24
}

function decoded(html: string): string {
  return html.replace(/&(?:#(\d+)|(lt|gt|amp|quot));/g, (_, code: string, name: 'lt' | 'gt' | 'amp' | 'quot') =>
    name === undefined ? String.fromCodePoint(Number(code)) : { lt: '<', gt: '>', amp: '&', quot: '"' }[name],
  )
}

/** What a terminal shows, with wrapped lines joined again. */
export function readTerminal(shown: string): string {
  return unmarked(shown.replace(/\n *┊ /g, '').replace(/(^|\n) *│ /g, '$1'))
}
