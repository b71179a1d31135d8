/** The flat form schema that all three protocol revisions share in parts, in the words of JSON Schema. */
export interface FormSchema {
  readonly $schema?: string
  readonly type: 'object'
  readonly properties: Readonly<Record<string, Field>>
  readonly required?: readonly string[]
}

export type Field = TextField | NumberField | BooleanField | ChoiceField | ChoicesField

interface Labelled {
  readonly title?: string
  readonly description?: string
}

export type TextFormat = 'email' | 'uri' | 'date' | 'date-time'

export interface TextField extends Labelled {
  readonly type: 'string'
  readonly minLength?: number
  readonly maxLength?: number
  readonly format?: TextFormat
  readonly default?: string
}

export interface NumberField extends Labelled {
  readonly type: 'number' | 'integer'
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: number
}

export interface BooleanField extends Labelled {
  readonly type: 'boolean'
  readonly default?: boolean
}

/** An option with the words a person sees for it. */
export interface TitledOption {
  readonly const: string
  readonly title: string
}

/** One of several: plain, with `enumNames` (how 2025-06-18 titles options), or with titled options. */
export type ChoiceField = Labelled & { readonly type: 'string'; readonly default?: string } & (
    | { readonly enum: readonly string[]; readonly enumNames?: readonly string[] }
    | { readonly oneOf: readonly TitledOption[] }
  )

/** Any of several: plain or with titled options. */
export interface ChoicesField extends Labelled {
  readonly type: 'array'
  readonly items:
    | { readonly type: 'string'; readonly enum: readonly string[] }
    | { readonly anyOf: readonly TitledOption[] }
  readonly minItems?: number
  readonly maxItems?: number
  readonly default?: readonly string[]
}

/** A value that a field can hold. */
export type FieldValue = string | number | boolean | readonly string[]

/** A filled-in form. */
export type Content = Readonly<Record<string, FieldValue>>
