import { units } from './times.ts'

/** A script without its indentation and comments, which browsers do not need. */
export function minifyScript(source: string): string {
  const lines = source.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '' && !line.startsWith('//')).join('\n')
}

/** The script of a page with this body; all pages work without it. */
export function scriptFor(body: string): string {
  const needed = forSome.filter(([mark]) => body.includes(mark))
  return [script, ...needed.map(([, more]) => more)].join('\n')
}

/**
 * What every page needs. It counts down, converts times to the reader's time zone, validates a field when it is left,
 * shows where
 * the page is among the links, and posts a form only once.
 */
const script = minifyScript(`'use strict'
const all = (what, within = document) => [...within.querySelectorAll(what)]
const units = ${JSON.stringify(units)}
const shapes = {
  clock: { timeStyle: 'short' },
  moment: { dateStyle: 'medium', timeStyle: 'short' },
  day: { dateStyle: 'medium' },
}
function showTimes(within) {
  for (const time of all('time', within)) {
    const shape = shapes[time.dataset.time]
    if (shape) time.textContent = new Intl.DateTimeFormat(time.lang, shape).format(new Date(time.dateTime))
  }
  for (const time of all('[data-time=left]', within)) countDown(time)
}
function countDown(time) {
  // This machine's clock may be wrong, so only the time that passes on it is used.
  const given = Date.parse(time.dateTime) - Date.parse(document.documentElement.dataset.now)
  const opened = Date.now()
  const tick = () => {
    const left = given - (Date.now() - opened)
    if (!time.isConnected) return
    if (left <= 0) return expire(time)
    const [unit, length] = units.find(([, , from]) => left >= from)
    const words = new Intl.NumberFormat(time.lang, { style: 'unit', unit, unitDisplay: 'long' })
    time.textContent = words.format(Math.floor(left / length))
    setTimeout(tick, Math.min(left % length + 5, 3600000))
  }
  tick()
}
function expire(time) {
  const line = time.closest('.left')
  if (!line) return time.closest('li')?.remove()
  line.lastElementChild.textContent = line.dataset.over
  line.setAttribute('role', 'status')
  for (const button of all('.answers button')) button.disabled = true
}

showTimes(document)
// Where the screen is too narrow for all links, the one of this page is in view.
for (const link of all('.bar [aria-current=page]')) link.scrollIntoView({ block: 'nearest', inline: 'center' })

for (const field of all('.field > input, .field > select, .field > textarea, .secret input')) {
  const problem = document.getElementById(field.id + '-problem')
  const tell = (message) => {
    field.setAttribute('aria-invalid', String(message !== ''))
    problem.hidden = message === ''
    problem.lastElementChild.textContent = message
  }
  field.addEventListener('change', () => tell(field.validationMessage))
  field.addEventListener('input', () => { if (field.getAttribute('aria-invalid') === 'true' && field.validity.valid) tell('') })
}

let sent = new WeakSet()
addEventListener('submit', (event) => {
  if (sent.has(event.target)) event.preventDefault()
  sent.add(event.target)
}, true)
addEventListener('pageshow', () => { sent = new WeakSet() })
`)

/** Reveals a secret. */
const revealScript = minifyScript(`
for (const button of all('[data-reveal]')) {
  const field = document.getElementById(button.dataset.reveal)
  button.hidden = false
  button.onclick = () => {
    const isHidden = field.type === 'password'
    field.type = isHidden ? 'text' : 'password'
    button.textContent = isHidden ? 'Hide' : 'Show'
    button.setAttribute('aria-label', button.textContent + ' ' + button.dataset.label)
  }
}
`)

/** Offers a calendar for a time, in the reader's time zone. */
const calendarScript = minifyScript(`
const two = (number) => String(number).padStart(2, '0')
const local = (date) => [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-') +
  'T' + two(date.getHours()) + ':' + two(date.getMinutes()) + ':' + two(date.getSeconds())
const withOffset = (text) => {
  const date = new Date(text)
  if (isNaN(date)) return ''
  const minutes = -date.getTimezoneOffset()
  const size = Math.abs(minutes)
  return local(date) + (minutes < 0 ? '-' : '+') + two(Math.floor(size / 60)) + ':' + two(size % 60)
}
for (const field of all('[data-date-time]')) {
  const typed = new Date(field.value)
  // A calendar cannot show this text, so the field stays a text field.
  if (field.value && isNaN(typed)) continue
  const sent = field.cloneNode()
  sent.type = 'hidden'
  for (const name of ['id', 'required', 'aria-describedby', 'aria-invalid']) sent.removeAttribute(name)
  field.removeAttribute('name')
  field.value = ''
  field.type = 'datetime-local'
  if (sent.value) {
    const hasSeconds = typed.getSeconds() > 0
    if (hasSeconds) field.step = '1'
    field.value = local(typed).slice(0, hasSeconds ? 19 : 16)
  }
  field.after(sent)
  field.addEventListener('input', () => { sent.value = withOffset(field.value) })
  const hint = document.getElementById(field.dataset.dateTime)
  if (hint) hint.textContent = 'In your time zone, ' + Intl.DateTimeFormat().resolvedOptions().timeZone + '.'
}
`)

/** Sizes boxes by their text where the browser does not. */
const growScript = minifyScript(`
if (!CSS.supports('field-sizing', 'content')) {
  for (const box of all('.edits textarea')) {
    const grow = () => {
      box.style.height = 'auto'
      box.style.height = box.offsetHeight - box.clientHeight + box.scrollHeight + 'px'
    }
    box.addEventListener('input', grow)
    addEventListener('resize', grow)
    grow()
  }
}
`)

/** Parts of the script, each with what the HTML of a page has that needs it. */
const forSome = [
  ['data-reveal=', revealScript],
  ['data-date-time=', calendarScript],
  ['<textarea', growScript],
] as const
