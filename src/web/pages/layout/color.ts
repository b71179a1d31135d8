/** Red, green and blue, each from 0 to 255. */
export type Color = readonly [red: number, green: number, blue: number]

/** The background colours of each scheme. Text on an accent-coloured button has the colour of the sheet. */
export const grounds = {
  light: { page: '#f4f5f7', sheet: '#ffffff' },
  dark: { page: '#0e1013', sheet: '#17191d' },
} as const

const defaultColor: Color = [0, 123, 255]

/** The least contrast of the accent: WCAG's for text, and more in the dark scheme, where the button text is dark. */
const readable = { light: 4.5, dark: 7 } as const

/** The accent of each scheme, changed only as far as readability needs; the default for what is not a colour. */
export function accentsOf(primaryColor: string): { readonly light: string; readonly dark: string } {
  const color = parseColor(primaryColor) ?? defaultColor
  return { light: writeColor(readableOn('light', color)), dark: writeColor(readableOn('dark', color)) }
}

/** Reads `#07f`, `#0077ff`, `rgb(0, 119, 255)` or `hsl(212, 100%, 50%)`; undefined for anything else. */
export function parseColor(text: string): Color | undefined {
  const written = text.trim().toLowerCase()
  const [, hex] = /^#([\da-f]{3}|[\da-f]{6})$/.exec(written) ?? []
  if (hex !== undefined) return fromHex(hex.length === 3 ? hex.replace(/./g, '$&$&') : hex)

  const [, kind, ...parts] =
    /^(rgb|hsl)\(\s*(\d{1,3})(?:deg)?[\s,]+(\d{1,3})%?[\s,]+(\d{1,3})%?\s*\)$/.exec(written) ?? []
  const [first = 0, second = 0, third = 0] = parts.map(Number)
  if (kind === 'rgb') return [first, second, third].some((part) => part > 255) ? undefined : [first, second, third]
  if (kind === 'hsl') return second > 100 || third > 100 ? undefined : fromHsl(first % 360, second / 100, third / 100)
  return undefined
}

/** The contrast ratio of two colours by WCAG, from 1 to 21. */
export function contrast(one: Color, other: Color): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

/** Mixes in black on light backgrounds, white on dark ones, in steps of one percent, until the contrast suffices. */
function readableOn(scheme: keyof typeof grounds, color: Color): Color {
  const under = Object.values(grounds[scheme]).map((ground) => parseColor(ground) as Color)
  const end = scheme === 'light' ? 0 : 255
  for (let share = 0; share < 1; share += 0.01) {
    const mixed = color.map((part) => Math.round(part + (end - part) * share)) as unknown as Color
    if (under.every((ground) => contrast(mixed, ground) >= readable[scheme])) return mixed
  }
  return [end, end, end]
}

function luminance(color: Color): number {
  const [red, green, blue] = color.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as unknown as Color
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function fromHex(hex: string): Color {
  return [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Color
}

function fromHsl(hue: number, saturation: number, lightness: number): Color {
  const reach = saturation * Math.min(lightness, 1 - lightness)
  return [0, 8, 4].map((shift) => {
    const turn = (shift + hue / 30) % 12
    return Math.round(255 * (lightness - reach * Math.max(-1, Math.min(turn - 3, 9 - turn, 1))))
  }) as unknown as Color
}

function writeColor(color: Color): string {
  return `#${color.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}
