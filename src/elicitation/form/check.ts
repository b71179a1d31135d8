import { isText, present } from '../../base/json.ts'
import { defaultFormLimits, type FormLimits } from './limits.ts'
import { Keywords, Reading } from './read/keywords.ts'
import { readField } from './read/read-field.ts'
import { FormRefused } from './read/refused.ts'
import type { Field, FormSchema } from './schema.ts'

/**
 * Takes a schema of any origin and gives back a frozen copy of what a form can say, or throws `FormRefused` with all
 * that is wrong. `exact` refuses every keyword that no revision knows; `tolerant`, for what zod or another server wrote,
 * drops those without which the form merely checks less.
 */
export function checkForm(
  schema: unknown,
  limits: FormLimits = defaultFormLimits,
  strictness: 'exact' | 'tolerant' = 'exact',
): FormSchema {
  const reading = new Reading(limits, strictness === 'tolerant')
  const form = readForm(schema, reading)
  // Safe by now: the copy has no cycles, and its text was counted as it was taken.
  if (reading.problems.length === 0 && Buffer.byteLength(JSON.stringify(form)) > limits.bytes) reading.reportSize()
  const [first, ...others] = reading.problems
  if (first !== undefined) throw new FormRefused([first, ...others])
  return form
}

function readForm(schema: unknown, reading: Reading): FormSchema {
  const keywords = new Keywords(schema, [], reading)
  const entries = keywords.entries('properties', reading.limits.fields)
  const form = present<FormSchema>({
    $schema: keywords.text('$schema'),
    type: keywords.exactly('type', 'object'),
    properties: readProperties(entries, reading),
    required: keywords.optionalTexts('required', reading.limits.fields),
  })
  keywords.close()

  const names = new Set(entries.map(([name]) => name))
  const stranger = form.required?.findIndex((name) => !names.has(name)) ?? -1
  if (stranger >= 0) reading.report(['required', stranger], 'must name one of the properties')
  keywords.refuseRepeats('required', form.required ?? [])
  return form
}

function readProperties(entries: readonly (readonly [string, unknown])[], reading: Reading): FormSchema['properties'] {
  const properties: [string, Field][] = []
  for (const [name, value] of entries) {
    if (!isFieldName(name)) {
      reading.report(['properties', name], 'must have another name: short and without control characters')
    }
    const field = readField(name, value, reading)
    if (field !== undefined) properties.push([name, field])
    if (reading.isHopeless) break
  }
  return Object.freeze(Object.fromEntries(properties))
}

const longestFieldName = 200
const prototypeNames = new Set(['__proto__', 'constructor', 'prototype'])

function isFieldName(name: string): boolean {
  const isShort = name.length > 0 && name.length <= longestFieldName
  return isShort && isText(name) && !/\p{Cc}/u.test(name) && !prototypeNames.has(name)
}
