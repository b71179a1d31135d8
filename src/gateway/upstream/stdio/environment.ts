// What programs need to run at all. Anything else may be a secret of the gateway's own, and is given by name or not at all.
const harmless = [
  'HOME',
  'LANG',
  'LC_ALL',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'TMPDIR',
  'TZ',
  'USER',
  ...['APPDATA', 'COMSPEC', 'LOCALAPPDATA', 'PATHEXT', 'SYSTEMROOT', 'TEMP', 'TMP', 'USERPROFILE', 'WINDIR'],
]

/** The environment of an upstream's process. What is meant for Assent (`ASSENT_*`) never reaches it. */
export function childEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  ...given: Readonly<Record<string, string>>[]
): Record<string, string> {
  const inherited = harmless.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]]))
  const all: Record<string, string> = Object.assign(Object.fromEntries(inherited), ...given)
  for (const name of Object.keys(all)) if (/^ASSENT_/i.test(name)) delete all[name]
  return all
}
