import { isDeepStrictEqual } from 'node:util'
import { applyEdits, type FormattingOptions, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import { type EditableFile, NotEditable, serversAt, unusual, withWords } from './editable-file.ts'

const mark = '\uFEFF'

/** A file of JSON, with comments and trailing commas if its client takes them. */
export function editJson(whole: string): EditableFile {
  const prefix = whole.startsWith(mark) ? mark : ''
  const text = whole.slice(prefix.length)
  const settings = read(text)
  return {
    servers: (path) => serversAt(settings, path),
    reword(rewordings, form) {
      const formattingOptions = formattingOf(text)
      const set = (before: string, path: readonly string[], value: unknown) =>
        applyEdits(before, modify(before, [...path], value, { formattingOptions }))
      const changed = rewordings.reduce((before, { path, words }) => {
        if (form === 'joined') return set(before, [...path, 'command'], words)
        const [program, ...args] = words
        return set(set(before, [...path, 'command'], program), [...path, 'args'], args)
      }, text)
      // Of a key that is there twice, the first is changed, and clients read the last.
      if (!isDeepStrictEqual(read(changed), withWords(settings, rewordings, form))) throw unusual()
      return prefix + changed
    },
  }
}

function read(text: string): unknown {
  if (text.trim() === '') return {}
  const errors: ParseError[] = []
  const settings = parse(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first === undefined) return settings
  const line = text.slice(0, first.offset).split('\n').length
  throw new NotEditable(`line ${line} is not JSON (${printParseErrorCode(first.error)})`)
}

function formattingOf(text: string): FormattingOptions {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? []
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  }
}
