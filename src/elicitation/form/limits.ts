/** How large a form may be. */
export interface FormLimits {
  /** How many fields a form may have. */
  readonly fields: number
  /** For each field that offers options. */
  readonly options: number
  /** Of the checked schema as JSON text. */
  readonly bytes: number
}

/** Far more than a person fills in, and little enough to keep by the thousand. */
export const defaultFormLimits: FormLimits = { fields: 100, options: 500, bytes: 65_536 }
