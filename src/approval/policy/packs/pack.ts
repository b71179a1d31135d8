import type { RuleSettings } from '../policy-settings.ts'

/** A rule of a pack. Every one says why it is there. */
export type PackRule = RuleSettings & { readonly reason: string }

/** Rules that come with Assent, by the name that `extends` gives. */
export type Packs = Readonly<Record<string, readonly PackRule[]>>
