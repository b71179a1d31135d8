import { readFile } from 'node:fs/promises'
import { BadArgument } from '../../base/errors.ts'
import { isPlainObject, parseJson } from '../../base/json.ts'
import { whyUnreadable } from '../errors.ts'

/** The answers given in advance. The command line overrides the file; a field that it names twice gets a list. */
export async function answersFrom({
  answers,
  answer,
}: {
  readonly answers?: string
  readonly answer: readonly (readonly [string, string])[]
}): Promise<Map<string, unknown>> {
  const all = new Map<string, unknown>(answers === undefined ? [] : Object.entries(await readJsonObject(answers)))
  const given = new Map<string, string[]>()
  for (const [name, text] of answer) given.set(name, [...(given.get(name) ?? []), text])
  for (const [name, texts] of given) all.set(name, texts.length === 1 ? texts[0] : texts)
  return all
}

async function readJsonObject(path: string): Promise<Record<string, unknown>> {
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw new BadArgument(`${path} cannot be read: ${whyUnreadable(cause)}.`, { cause })
  })
  const value = parse(text)
  if (!isPlainObject(value)) throw new BadArgument(`${path} must hold one JSON object, such as {"branch": "main"}.`)
  return value
}

function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
