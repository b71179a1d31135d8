const proxyNames = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']

// The variables that programs need to run. Any other variable may be a secret of the gateway and must be configured by
// name.
const inheritedNames = [
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
  // Without these, programs behind a company proxy cannot reach the network.
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'NO_PROXY', 'no_proxy'],
  ...proxyNames,
]

/** The environment of an upstream's process. Variables for Assent itself (`ASSENT_*`) are never passed on. */
export function childEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  ...given: Readonly<Record<string, string>>[]
): Record<string, string> {
  const inherited = inheritedNames.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]]))
  const all: Record<string, string> = Object.assign(Object.fromEntries(inherited), ...given)
  for (const name of Object.keys(all)) if (/^ASSENT_/i.test(name)) delete all[name]
  return all
}

/** The proxy variables whose address holds a user name or a password. Every program that is started gets them. */
export function proxiesWithCredentials(own: Readonly<Record<string, string | undefined>>): readonly string[] {
  // Also without a scheme, as in `user:password@proxy.example.com:8080`, which most programs accept.
  return proxyNames.filter((name) => /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#]*@/i.test(own[name] ?? ''))
}
