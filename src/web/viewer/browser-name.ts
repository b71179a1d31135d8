const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

/** A name such as "Firefox on Linux", by which people tell their browsers apart. Holds no text of the header. */
export function browserName(userAgent: string | undefined): string {
  const find = (names: typeof browsers) => names.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1]
  const system = find(systems)
  const browser = find(browsers) ?? 'A browser'
  return system === undefined ? browser : `${browser} on ${system}`
}
