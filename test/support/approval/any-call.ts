import fc from 'fast-check'
import type { ToolCall } from '../../../src/approval/tool-call.ts'
import type { Json, JsonObject } from '../../../src/base/json.ts'
import { aCall } from './a-call.ts'

/** What an agent may put into a text so that a person does not see what they allow. */
const parts = [
  ...[
    'a',
    'Z',
    '0',
    'path',
    '/etc/',
    '..',
    ' ',
    '  ',
    ': ',
    ', ',
    '"',
    '\\',
    '\\n',
    '{',
    '}',
    '<b>',
    '&amp;',
    '</textarea>',
  ],
  ...[
    '</dd><script>',
    "'",
    '`',
    '-rf',
    'Rule 1 says that a person must approve it.',
    '│ ',
    '┊ ',
    '… (3 more characters)',
  ],
  ...['\n', '\n\n\n', '\t', '\r', '\r\n', '\0', '\x07', '\x1b[2J', '\x7f', '\u0085', '\u00a0', '\u3000', '\u2028'],
  ...['\u202e', '\u2066', '\u200b', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u034f', '\u{e0041}', '\ufe0f', '\u3164'],
  ...[
    'а',
    'рр',
    'Это',
    'ο',
    'ж',
    'ᴏ',
    'ⲣ',
    'ꓢ',
    'ꭺ',
    '𐐬',
    '𐓪',
    '𑣀',
    'ⵔ',
    'ǃ',
    'ǀ',
    '⟋',
    'ノ',
    '丿',
    '׃',
    '։',
    '˸',
    '᜵',
    '৪',
    'ﬁ',
  ],
  ...[
    'é',
    'e\u0301',
    'Å',
    'ᄒ\u1161',
    '日本語',
    'ノート',
    '。',
    '，',
    '한국어',
    'مرحبا',
    'שלום',
    'नमस्ते',
    '👩‍💻',
    '❤️',
    'ａ',
    '𝐚',
  ],
  ...[`a${'\u0301'.repeat(7)}`, '‹U+202E›', '‹а U+0430, not a›', '\ue000', '\uffff', '語'.repeat(60), 'x'.repeat(90)],
]

const short = fc.string({ unit: fc.constantFrom(...parts), maxLength: 8 })
const plain = fc.string({ unit: 'grapheme-ascii', maxLength: 30 })
const long = fc
  .tuple(fc.constantFrom('x', 'word ', 'line\n', ' ', '/..', '\u200b'), fc.integer({ min: 30, max: 3_000 }), short)
  .map(([part, times, end]) => `${part.repeat(times)}${end}`)
const text = fc.oneof({ weight: 4, arbitrary: short }, { weight: 3, arbitrary: plain }, { weight: 1, arbitrary: long })

const name = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('path', 'content', 'to', 'größe', '名前', 'dry_run', 'a.b', 'choice', 'reason'),
  },
  { weight: 2, arbitrary: short },
  {
    weight: 1,
    arbitrary: fc.constantFrom('__proto__', 'constructor', 'x: hello\n\nRule 1 says so.\n', 'n'.repeat(300)),
  },
)

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    { weight: 6, arbitrary: text },
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.constantFrom<Json>(true, false, null),
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    { weight: 2, arbitrary: entries(tie('value')) },
  ),
}))

// From entries, so that an argument called __proto__ is an argument and nothing more.
function entries(of: fc.Arbitrary<Json>): fc.Arbitrary<JsonObject> {
  return fc.array(fc.tuple(name, of), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs))
}

/** A call, and the arguments that an approver may change in it. */
export interface AnyCall {
  readonly call: ToolCall
  readonly editable: readonly string[]
}

/** Calls of every shape: long, nested, of many lines and scripts, with hidden characters and odd names. */
export const anyCall: fc.Arbitrary<AnyCall> = fc
  .record({
    given: entries(value),
    isEditable: fc.boolean(),
    withEnum: fc.boolean(),
    tool: fc.oneof(fc.constant('write'), name),
  })
  .map(({ given, isEditable, withEnum, tool }) => {
    const properties = Object.fromEntries(Object.entries(given).map(([name, one]) => [name, schemaOf(one, withEnum)]))
    const call = aCall({ arguments: given, tool: tool || 'write', inputSchema: { type: 'object', properties } })
    return {
      call,
      editable: isEditable ? Object.keys(given).filter(canBeNamed).slice(0, 3) : [],
    }
  })

/** Whether a rule can name this argument as editable. */
function canBeNamed(name: string): boolean {
  return name.trim() !== '' && !/\p{Cc}/u.test(name)
}

function schemaOf(value: Json | undefined, withEnum: boolean): JsonObject {
  switch (typeof value) {
    case 'string':
      return { type: 'string', ...(withEnum && { enum: [...new Set([value, 'other', 'another'])] }) }
    case 'number':
      return { type: 'number' }
    case 'boolean':
      return { type: 'boolean' }
    default:
      return { type: Array.isArray(value) ? 'array' : 'object' }
  }
}
