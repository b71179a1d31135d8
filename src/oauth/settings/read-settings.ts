import { BadConfig } from '../../base/errors.ts'
import { isPlainObject } from '../../base/json.ts'
import { loginAddress } from '../address.ts'

/** Reads the settings of one provider. Refuses what cannot be used, with the remedy. */
export interface SettingsReader {
  has(key: string): boolean
  /** Whether the setting is there. Any other value than `true` is refused. */
  isSet(key: string): boolean
  text(key: string): string | undefined
  required(key: string, remedy: string): string
  /** An https address, or an http address of this machine. */
  address(key: string): string | undefined
  oneOf<T extends string>(key: string, choices: readonly T[]): T | undefined
  scopes(): readonly string[]
  /** Texts by name. The names in `taken` are refused. */
  params(key: string, taken: readonly string[]): Readonly<Record<string, string>> | undefined
  refuse(message: string, key?: string): BadConfig
  /** Refuses all other settings, which would have no effect. */
  noneBut(keys: readonly string[]): void
}

export function settingsReader(name: string, given: unknown): SettingsReader {
  if (!isPlainObject(given))
    throw new BadConfig(`The provider "${name}" has no settings. Write an issuer, a preset or apiKey: true.`, [name])
  const settings = given

  const refuse = (message: string, key?: string) => new BadConfig(message, key === undefined ? [name] : [name, key])
  const has = (key: string) => settings[key] !== undefined

  function text(key: string): string | undefined {
    const value = settings[key]
    if (value === undefined) return undefined
    if (typeof value === 'string' && value.trim() !== '') return value
    throw refuse(`"${key}" of the provider "${name}" is empty or not text. Write text that is not empty.`, key)
  }

  return {
    has,
    isSet(key) {
      if (has(key) && settings[key] !== true) {
        throw refuse(`"${key}" of the provider "${name}" can only be true. Write true, or leave it out.`, key)
      }
      return has(key)
    },
    text,
    refuse,
    required(key, remedy) {
      const value = text(key)
      if (value === undefined) throw refuse(`The provider "${name}" has no "${key}". ${remedy}`)
      return value
    },
    address(key) {
      const value = text(key)
      if (value === undefined) return undefined
      try {
        loginAddress(value)
        return value
      } catch {
        throw refuse(
          `"${key}" of the provider "${name}" is "${value}". Write an https address, or an http address of this machine.`,
          key,
        )
      }
    },
    oneOf<T extends string>(key: string, choices: readonly T[]) {
      const value = text(key)
      const choice = choices.find((one) => one === value)
      if (value === undefined || choice !== undefined) return choice
      throw refuse(`"${key}" of the provider "${name}" must be one of ${choices.join(', ')}.`, key)
    },
    scopes() {
      const value = settings.scopes ?? []
      // Scopes are sent in one text, separated by spaces, so a scope cannot hold one.
      if (Array.isArray(value) && value.every((scope) => typeof scope === 'string' && /^[!#-[\]-~]+$/.test(scope))) {
        return [...new Set<string>(value)]
      }
      throw refuse(`"scopes" of the provider "${name}" must be a list of words, such as [notes.read].`, 'scopes')
    },
    params(key, taken) {
      const value = settings[key]
      if (value === undefined) return undefined
      if (!isPlainObject(value) || !Object.values(value).every((one) => typeof one === 'string')) {
        throw refuse(`"${key}" of the provider "${name}" must be names with text, such as { prompt: consent }.`, key)
      }
      const clash = Object.keys(value).find((one) => taken.includes(one))
      if (clash !== undefined) throw refuse(`"${clash}" is set by Assent itself. Remove it from "${key}".`, key)
      return value as Record<string, string>
    },
    noneBut(keys) {
      const unknown = Object.keys(settings).find((key) => has(key) && !keys.includes(key))
      if (unknown === undefined) return
      throw refuse(
        `"${unknown}" is not a setting of the provider "${name}". Write one of: ${keys.join(', ')}.`,
        unknown,
      )
    },
  }
}
