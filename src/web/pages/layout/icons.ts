import { constant, type Markup } from './markup.ts'

/** Icons in the colour of the text. They are hidden from screen readers, as the text beside them says the same. */
export const icons = {
  form: icon('M5 3.5h10v13H5zM8 7.5h4M8 10.5h4M8 13.5h2'),
  key: icon('M10.5 9.5 16.5 3.5M14 6l2 2M9.2 13.8a3.25 3.25 0 1 1-.5-4.8 3.25 3.25 0 0 1 .5 4.8Z'),
  confirm: icon('M7.5 7.5a2.5 2.5 0 1 1 3.6 2.3c-.7.4-1.1.9-1.1 1.7M10 14.2v.1', true),
  connect: icon(
    'M8.5 11.5a3 3 0 0 0 4.3 0l2.6-2.6a3 3 0 0 0-4.3-4.3l-.9.9M11.5 8.5a3 3 0 0 0-4.3 0l-2.6 2.6a3 3 0 0 0 4.3 4.3l.9-.9',
  ),
  browser: icon('M3 4.5h14v11H3zM3 8h14M5.5 6.3v0M7.5 6.3v0'),
  done: icon('m6.8 10.2 2.2 2.2 4.3-4.6', true),
  no: icon('M7 10h6', true),
  clock: icon('M10 6v4l2.6 1.6', true),
  lost: icon('M10 6v4.6M10 13.8v.1', true),
  warning: icon('M10 3.2 17.3 16H2.7zM10 8.2v3.6M10 13.9v.1'),
  run: icon('m8 6.8 5 3.2-5 3.2z', true),
  inbox: icon('M3.5 11.5h3.6l1.2 2h3.4l1.2-2h3.6M3.5 11.5 5.6 4.5h8.8l2.1 7v4h-13z'),
  grant: icon('M10 2.8 16 5v4.6c0 3.6-2.4 6.2-6 7.6-3.6-1.4-6-4-6-7.6V5zM7.4 9.9l1.9 1.9 3.4-3.6'),
  audit: icon('M4.5 3.5h11v13h-11zM7.5 7h5M7.5 10h5M7.5 13h3'),
  quote: icon('M4 6.5h12M4 10h12M4 13.5h7'),
} as const

function icon(path: string, inCircle = false): Markup {
  const circle = inCircle ? '<circle cx="10" cy="10" r="7.25"/>' : ''
  return constant(
    `<svg class="icon" viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">${circle}<path d="${path}"/></svg>`,
  )
}
