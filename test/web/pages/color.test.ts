import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accentsOf, type Color, contrast, grounds, parseColor } from '../../../src/web/pages/layout/color.ts'

const colorOf = (text: string) => parseColor(text) as Color

test.each([
  ['#07f', [0, 119, 255]],
  ['#0077FF', [0, 119, 255]],
  [' rgb(0, 119, 255) ', [0, 119, 255]],
  ['rgb(0 119 255)', [0, 119, 255]],
  ['hsl(212, 100%, 50%)', [0, 119, 255]],
  ['hsl(0deg 0% 50%)', [128, 128, 128]],
  ['rgb(0, 300, 0)', undefined],
  ['hsl(0, 200%, 0%)', undefined],
  ['#12345', undefined],
  ['red; } body { display: none', undefined],
  ['', undefined],
])('%j is read as %j', (text, color) => {
  expect(parseColor(text)).toEqual(color)
})

test('black and white stand as far apart as colours can', () => {
  expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21)
  expect(contrast([119, 119, 119], [255, 255, 255])).toBeCloseTo(4.48, 2)
})

test('every accent can be read, as text on each ground and under the words of a button', () => {
  const part = fc.integer({ min: 0, max: 255 })
  fc.assert(
    fc.property(part, part, part, (red, green, blue) => {
      const accents = accentsOf(`rgb(${red}, ${green}, ${blue})`)
      for (const scheme of ['light', 'dark'] as const) {
        for (const ground of Object.values(grounds[scheme])) {
          expect(contrast(colorOf(accents[scheme]), colorOf(ground))).toBeGreaterThanOrEqual(4.5)
        }
      }
    }),
  )
})

test('an accent that can be read stays as it is', () => {
  expect(accentsOf('#0b5394').light).toBe('#0b5394')
  expect(accentsOf('#9fc5e8').dark).toBe('#9fc5e8')
})

test('an accent nobody understands is the usual one', () => {
  expect(accentsOf('url(https://evil.example)')).toEqual(accentsOf('#007bff'))
})
