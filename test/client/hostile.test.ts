import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkPageUrl } from '../../src/client/page/url-safety.ts'
import { terminalUi } from '../../src/client/terminal/terminal-ui.ts'
import { checkForm } from '../../src/elicitation/form/check.ts'
import type { FormSchema } from '../../src/elicitation/form/schema.ts'
import { fakeTerminal } from '../support/client/fake-terminal.ts'

const asks = 5_000
const atOnce = 250

/** Text that an attacker uses to control a terminal or to mislead its reader. */
const nasty = fc.constantFrom(
  ...[
    '\x1b[2J',
    '\x1b[31m',
    '\x1b[1F\x1b[2K',
    '\x1b]0;pwned\x07',
    '\x1b]8;;https://evil.example\x1b\\',
    '\x1bc',
    '\x1b[6n',
  ],
  ...[
    '\x1bP+q544e\x1b\\',
    '\x9b2J',
    '\x9d0;x\x9c',
    '\x90',
    '\r',
    '\n',
    '\b\b\b',
    '\x7f',
    '\x07',
    '\x00',
    '\t',
    '\x0e',
    '\x1b',
  ],
  ...['\u202e', '\u2066', '\u2069', '\u200b', '\u200d', '\ufeff', '\u2028', '\u{e0041}', '\ud800', '\u0301'.repeat(30)],
  ...[
    'A',
    ' ',
    'Type send to send it',
    '› ',
    '│ ',
    '語'.repeat(90),
    '__proto__',
    '%s%n',
    ':decline',
    '👩‍👩‍👧',
    '‹U+202E›',
  ],
)
const text = fc.array(nasty, { maxLength: 6 }).map((parts) => parts.join(''))

/** Text that a form schema accepts; a form with any other text is refused before it is shown. */
const formText = text.map((text) => text.toWellFormed().replaceAll('\0', ''))
const titled = fc.record({ const: formText, title: formText })
const field = fc.oneof(
  fc.record(
    { type: fc.constant('string'), title: formText, description: formText, default: formText },
    { requiredKeys: ['type'] },
  ),
  fc.record({
    type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'object', 'null', '\x1b[2J'),
    format: fc.oneof(fc.constantFrom('email', 'uri', 'date', 'date-time'), text),
    minLength: fc.integer(),
    maximum: fc.double(),
    description: formText,
  }),
  fc.record({ type: fc.constantFrom('number', 'integer'), title: formText, minimum: fc.integer() }),
  fc.record({ type: fc.constant('boolean'), title: formText, description: formText }),
  fc.record({
    type: fc.constant('string'),
    enum: fc.uniqueArray(formText, { minLength: 1, maxLength: 5 }),
    title: formText,
  }),
  fc.record({ type: fc.constant('string'), oneOf: fc.array(titled, { minLength: 1, maxLength: 5 }) }),
  fc.record({
    type: fc.constant('array'),
    items: fc.record({ anyOf: fc.array(titled, { minLength: 1, maxLength: 5 }) }),
  }),
)
const schema = fc.record({
  type: fc.constant('object'),
  properties: fc.dictionary(
    fc.oneof({ weight: 9, arbitrary: fc.stringMatching(/^[a-z]{1,8}$/) }, { weight: 1, arbitrary: text }),
    field,
    { maxKeys: 4 },
  ),
})
const address = fc
  .tuple(
    fc.constantFrom('https://', 'http://', 'javascript:', 'https://a@', 'data:', ''),
    fc.oneof(fc.domain(), text),
    text,
  )
  .map((parts) => parts.join(''))

const ask = fc.record({
  server: text,
  origin: text,
  message: text,
  schema,
  address,
  // The keys that the person presses, repeatedly.
  keys: fc.constantFrom('\r', 'x\r', '1\r', 'yes\r', 'send\r', '\x1b[B\r', ':skip\r', '2026-07-28\r'),
  columns: fc.constantFrom(1, 20, 40, 80, 300),
})
type Ask = typeof ask extends fc.Arbitrary<infer T> ? T : never

/** The control sequences of our own prompts: cursor movement and clearing. Any other came from the server. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches control characters
const ours = /\x1b\[\d+[GA]|\x1b\[0J|\r\n/g

function harmed(shown: string): string | undefined {
  return /[^\P{C}\n]|[\p{Zl}\p{Zp}]|\p{M}{5}/u.exec(
    // Joiners within emoji are kept, also across a line break.
    shown.replace(ours, '').replace(/(?<=\p{Extended_Pictographic})\u200d/gu, ''),
  )?.[0]
}

async function put({ server, origin, message, schema, address, keys, columns }: Ask): Promise<string> {
  const { input, output, type, shown } = fakeTerminal({ columns })
  const ui = terminalUi({ input, output, env: { NO_COLOR: '1' }, openUrl: async () => {} })
  const over = new AbortController()
  // After twelve tries, Ctrl-C cancels.
  let tries = 12
  const typing = setInterval(() => type(tries-- > 0 ? keys : '\x03'), 15)
  const asker = { server, origin }
  try {
    const checked = checkPageUrl(address)
    if (checked.kind === 'allowed') {
      const reply = await ui.consentToOpen({ ...checked, asker, message, signal: over.signal })
      if (reply === 'open') await ui.open(checked.url)
    }
    const form = readForm(schema)
    if (form !== undefined) {
      const errors = Object.keys(form.properties).map((field) => ({ field, message }))
      await ui.form({
        asker,
        message,
        schema: form,
        filled: {},
        errors: tries % 2 ? errors : [],
        signal: over.signal,
      })
    }
    setTimeout(() => over.abort(), 40)
    await ui.waiting({ asker, message, url: address, signal: over.signal, onProgress: (listener) => listener(message) })
  } finally {
    clearInterval(typing)
  }
  return shown()
}

function readForm(schema: unknown): FormSchema | undefined {
  try {
    return checkForm(schema, undefined, 'tolerant')
  } catch {
    return undefined
  }
}

test(`${asks} hostile questions neither crash the terminal nor reach it raw`, async () => {
  const all = fc.sample(ask, { numRuns: asks, seed: 20_261_115 })
  let forms = 0
  for (let from = 0; from < all.length; from += atOnce) {
    const shown = await Promise.all(all.slice(from, from + atOnce).map(put))
    for (const [index, one] of shown.entries()) {
      forms += one.includes('1 of ') ? 1 : 0
      // The line of a wait is redrawn in place.
      const harm = harmed(one.replaceAll('\r\x1b[2K', ''))
      if (harm !== undefined) expect.fail(`${JSON.stringify(harm)} got through of ${JSON.stringify(all[from + index])}`)
    }
  }
  expect(forms).toBeGreaterThan(asks / 10)
})
