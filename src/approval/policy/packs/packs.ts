import { changingPacks } from './changing-packs.ts'
import type { Packs } from './pack.ts'
import { shellPack } from './shell-pack.ts'

/**
 * The packs, as data. They follow the rules of the policy itself. Outside of `shell`, no tool is allowed by its name alone:
 * the allow rules also want `readOnlyHint`, which counts only on a server that is `trusted: true`.
 */
export const packs: Packs = { ...changingPacks, shell: shellPack }
