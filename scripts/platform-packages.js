const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32']
const processors = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']
const libraries = { musl: 'musl', gnu: 'glibc' }

/**
 * The optional packages that others in the lock name and that it lacks, as lock entries of their own.
 * @type {typeof import('./platform-packages.d.ts').platformPackagesMissingIn}
 */
export function platformPackagesMissingIn({ packages }) {
  /** @type {ReturnType<typeof platformPackagesMissingIn>} */
  const missing = {}
  for (const { optionalDependencies = {}, dev } of Object.values(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const place = `node_modules/${name}`
      const isExact = /^\d/.test(version)
      if (place in packages || !isExact) continue
      missing[place] = entryFor(name, version, dev)
    }
  }
  return missing
}

/**
 * What such a package is for is written in its name: `@rolldown/binding-linux-arm64-musl`. In npm's order of fields.
 * @param {string} name
 * @param {string} version
 * @param {boolean | undefined} dev
 */
function entryFor(name, version, dev) {
  const words = name.split(/[/-]/)
  const cpu = words.filter((word) => processors.includes(word))
  const os = words.filter((word) => systems.includes(word))
  const libc = Object.entries(libraries).flatMap(([start, library]) =>
    words.some((word) => word.startsWith(start)) ? [library] : [],
  )
  return {
    version,
    ...(cpu.length > 0 && { cpu }),
    ...(dev && { dev }),
    ...(libc.length > 0 && { libc }),
    optional: true,
    ...(os.length > 0 && { os }),
  }
}
