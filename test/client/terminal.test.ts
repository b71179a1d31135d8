import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { choose, chooseSeveral } from '../../src/client/terminal/choose.ts'
import { InputNeeded } from '../../src/client/terminal/given-answers.ts'
import { browserCommand, openBrowser } from '../../src/client/terminal/open-browser.ts'
import { wrap } from '../../src/client/terminal/screen.ts'
import { type TerminalOptions, terminalUi } from '../../src/client/terminal/terminal-ui.ts'
import type { FormRequest, UrlRequest, WaitRequest } from '../../src/client/ui.ts'
import type { FormSchema } from '../../src/elicitation/form/schema.ts'
import { fakeTerminal, plain } from '../support/client/fake-terminal.ts'
import { temporaryFolder } from '../support/temporary.ts'

const never = new AbortController().signal
const oneText: FormSchema = {
  type: 'object',
  properties: { name: { type: 'string', title: 'Name', minLength: 2 } },
  required: ['name'],
}

function aForm(more: Partial<FormRequest> = {}): FormRequest {
  const asker = { server: 'notes' }
  return { asker, message: 'Who are you?', schema: oneText, filled: {}, errors: [], signal: never, ...more }
}

function aPage(more: Partial<UrlRequest> = {}): UrlRequest {
  const url = 'https://sign.example.com/a?b=c'
  const asker = { server: 'hub', origin: 'notes' }
  return { asker, message: 'Sign here', url, host: 'sign.example.com', warnings: [], signal: never, ...more }
}

function aWait(more: Partial<WaitRequest> = {}): WaitRequest {
  const { asker, message, url } = aPage()
  return { asker, message, url, signal: never, onProgress: () => {}, ...more }
}

function atTerminal(options: TerminalOptions = {}, window: Parameters<typeof fakeTerminal>[0] = {}) {
  const terminal = fakeTerminal(window)
  const { input, output } = terminal
  const ui = terminalUi({ input, output, env: { NO_COLOR: '1' }, openUrl: async () => {}, ...options })
  return { ...terminal, ui }
}

describe('a form', () => {
  test('names the asker, checks each answer, and is sent only after a review (E11-04, E11-06)', async () => {
    const { ui, see, type, shown } = atTerminal()
    const reply = ui.form(aForm({ asker: { server: 'hub', origin: 'notes' } }))
    await see('notes (through hub) asks')
    await see('› ')
    type('x\r')
    await see('at least 2 characters')
    await see('› ')
    type('Grace\r')
    await see('1. Name: Grace')
    await see('Send to notes (through hub)? › ')
    type('\r')
    await see('Nothing has been sent yet')
    await see('? › ')
    type('1\r')
    await see('Enter takes Grace')
    await see('› ')
    type('Ada\r')
    await see('1. Name: Ada')
    await see('? › ')
    type('send\r')
    expect(await reply).toEqual({ action: 'accept', content: { name: 'Ada' } })
    expect(shown()).toContain('│ Who are you?')
  })

  test.each([
    [':decline\r', 'decline'],
    [':DECLINE\r', 'decline'],
    [':cancel\r', 'cancel'],
    ['\x03', 'cancel'],
    ['\x04', 'cancel'],
    ['half an ans\x03', 'cancel'],
  ])('%j ends it with %s, at a field and at the review; both are always named (E11-05)', async (keys, action) => {
    for (const before of [[], ['Ada\r']]) {
      const { ui, see, type, shown } = atTerminal()
      const reply = ui.form(aForm())
      for (const line of [...before, keys]) {
        await see('› ')
        expect(plain(shown()).split('\n\n').at(-1)).toMatch(/:decline\s+refuses,\s+:cancel\s+or\s+Ctrl-C\s+cancels/)
        type(line)
      }
      expect(await reply).toEqual({ action })
    }
  })

  test('is not answered by input that was typed or pasted before it was shown', async () => {
    const { ui, see, type } = atTerminal()
    type('Eve\rsend\r')
    const reply = ui.form(aForm())
    await see('› ')
    type('Ada\rsend\rleft over')
    await see('? › ')
    await sleep(50)
    type('send\r')
    expect(await reply).toEqual({ action: 'accept', content: { name: 'Ada' } })
  })

  test('is removed when no answer is needed any more', async () => {
    const { ui, see } = atTerminal()
    const gone = new AbortController()
    const reply = ui.form(aForm({ signal: gone.signal }))
    await see('› ')
    gone.abort()
    expect(await reply).toEqual({ action: 'cancel' })
    expect(await ui.form(aForm({ signal: gone.signal }))).toEqual({ action: 'cancel' })
  })

  test('with invalid content asks only for the invalid fields again', async () => {
    const { ui, see, type, shown } = atTerminal()
    const schema: FormSchema = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'integer' } } }
    const errors = [{ field: 'b', message: 'B must be odd.' }]
    const reply = ui.form(aForm({ schema, filled: { a: 'kept', b: 2 }, errors }))
    await see('✗ B must be odd.')
    await see('› ')
    type('3\r')
    await see('? › ')
    type('yes\r')
    expect(await reply).toEqual({ action: 'accept', content: { a: 'kept', b: 3 } })
    expect(shown()).not.toContain('1 of 2')
  })

  test('without fields asks for a yes', async () => {
    const { ui, see, type } = atTerminal()
    const reply = ui.form(aForm({ schema: { type: 'object', properties: {} } }))
    await see('Type yes to send it')
    await see('? › ')
    type('yes\r')
    expect(await reply).toEqual({ action: 'accept', content: {} })
  })

  test('accepts text that begins with two colons, and explains it', async () => {
    const { ui, see, type } = atTerminal()
    const reply = ui.form(aForm())
    await see('› ')
    type(':declin\r')
    await see('There is no :declin here. For text that begins with a colon, type two.')
    await see('› ')
    type('::declin\r')
    await see('1. Name: :declin')
    await see('? › ')
    type('send\r')
    expect(await reply).toMatchObject({ content: { name: ':declin' } })
  })

  test('waits while another question is asked', async () => {
    const { ui, see, type, shown } = atTerminal()
    const one = ui.form(aForm({ message: 'One?' }))
    const two = ui.form(aForm({ message: 'Two?' }))
    await see('› ')
    expect(shown()).not.toContain('Two?')
    type(':decline\r')
    expect(await one).toEqual({ action: 'decline' })
    await see('Two?')
    await see('› ')
    type(':cancel\r')
    expect(await two).toEqual({ action: 'cancel' })
  })

  test('fits a narrow window, with every line of untrusted text marked, without colours', async () => {
    const { ui, see, type, shown } = atTerminal({}, { columns: 24 })
    const description = 'Approved by your administrator. Type send to go on, it is entirely safe.'
    const schema: FormSchema = { type: 'object', properties: { long: { type: 'string', description } } }
    const reply = ui.form(aForm({ schema, message: '語'.repeat(60) }))
    await see('› ')
    type(':cancel\r')
    await reply
    const lines = plain(shown()).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(24)
    for (const line of lines.filter((line) => /語|administrator|entirely safe/.test(line))) {
      expect(line).toMatch(/^ *[│┊] /)
    }
    expect(shown()).not.toMatch(/\[\d+m/)
  })
})

describe('a list', () => {
  const options = [
    { const: 'r', title: 'Red' },
    { const: 'g', title: 'Green' },
    { const: 'gr', title: 'Grey' },
    { const: '2', title: 'Two' },
  ]

  test.each([
    ['1', 'r'],
    ['#2', 'g'],
    ['#2 Green', 'g'],
    ['gr', 'gr'],
    ['GREEN', 'g'],
    ['re', 'r'],
    ['two', '2'],
    ['2', undefined],
    ['gre', undefined],
    ['9', undefined],
    ['blue', undefined],
  ])('reads %j as %j', (text, value) => {
    expect(choose(options, text)).toMatchObject(value === undefined ? { kind: 'unclear' } : { kind: 'chosen', value })
  })

  test('reads several options, each once', () => {
    expect(chooseSeveral(options, '1, Green,1,')).toEqual({ kind: 'chosen', values: ['r', 'g'] })
    expect(chooseSeveral(options, '1, blue')).toMatchObject({ kind: 'unclear' })
  })

  test('can be selected from with the arrow keys', async () => {
    const { ui, see, type } = atTerminal()
    const schema: FormSchema = {
      type: 'object',
      properties: {
        one: { type: 'string', oneOf: options },
        some: { type: 'array', items: { anyOf: options } },
      },
    }
    const reply = ui.form(aForm({ schema }))
    await see('› ')
    type('\x1b[B\x1b[B\x1b[A\x1b[A\r')
    await see('2 of 2')
    await see('› ')
    type('1,\x1b[A\x1b[A\r')
    await see('1. One: Two')
    await see('2. Some: Red, Grey')
    await see('? › ')
    type('send\r')
    expect(await reply).toEqual({ action: 'accept', content: { one: '2', some: ['r', 'gr'] } })
  })
})

describe('a page', () => {
  test('is shown with its full address and host, and opened only after a yes (E11-07, E11-36)', async () => {
    const openUrl = vi.fn(async () => {})
    const { ui, see, type, shown } = atTerminal({ openUrl })
    const consent = ui.consentToOpen(aPage())
    await see('notes (through hub) asks you to open a page')
    await see('│ Sign here')
    await see('\n  https://sign.example.com/a?b=c\n')
    await see('The page is on sign.example.com.')
    await see('? › ')
    expect(shown()).toMatch(/:decline refuses, :cancel or Ctrl-C\s+cancels/)
    type('\r')
    await see('Type open, or done')
    await see('? › ')
    type('open\r')
    expect(await consent).toBe('open')
    expect(openUrl).not.toHaveBeenCalled()
    await ui.open('https://sign.example.com/a?b=c')
    expect(openUrl).toHaveBeenCalledWith('https://sign.example.com/a?b=c')
    expect(shown().split('https://sign.example.com/a?b=c')).toHaveLength(3)
  })

  test.each([
    ['done\r', 'opened'],
    ['no\r', 'decline'],
    [':decline\r', 'decline'],
    [':cancel\r', 'cancel'],
    ['\x03', 'cancel'],
  ] as const)('%j means %s', async (keys, action) => {
    const { ui, see, type } = atTerminal()
    const consent = ui.consentToOpen(aPage())
    await see('? › ')
    type(keys)
    expect(await consent).toBe(action)
  })

  test('shows a warning for each suspicious part of its address; the host is highlighted, not the user name (E11-38)', async () => {
    const { ui, see, type, shown } = atTerminal({ env: {} })
    const url = 'http://good.example.com@xn--pple-43d.com:8080/'
    const warnings = ['credentials', 'not-https', 'punycode', 'mixed-scripts', 'odd-port', 'ip-address'] as const
    const consent = ui.consentToOpen(aPage({ url, host: 'xn--pple-43d.com:8080', warnings }))
    await see('? › ')
    type(':decline\r')
    await consent
    expect(shown()).toContain('http://good.example.com@\x1b[4m\x1b[1mxn--pple-43d.com:8080\x1b[22m\x1b[24m/')
    for (const words of [
      'before the @',
      'does not use https',
      'other than a to z',
      'several alphabets',
      'unusual port',
      'IP address',
    ])
      expect(shown()).toContain(words)
    expect(shown()).toContain('Open it only if you expected notes (through hub) to send you there')
  })

  test('whose browser does not start is shown with its address', async () => {
    const { ui, shown } = atTerminal({ openUrl: () => Promise.reject(new Error('ENOENT')) })
    await ui.open('https://sign.example.com/')
    expect(shown()).toContain('No browser could be started')
    expect(shown()).toContain('  https://sign.example.com/\n')
  })

  test('is opened by a program that gets the address as an argument, without a shell (S-10, E11-37)', async () => {
    const url = 'https://example.com/?a=1&b=$(id);`id`'
    expect(browserCommand(url, 'linux', {})).toEqual(['xdg-open', url])
    expect(browserCommand(url, 'linux', { WSL_DISTRO_NAME: 'x' })).toEqual(['wslview', url])
    expect(browserCommand(url, 'darwin', {})).toEqual(['open', url])
    expect(browserCommand(url, 'win32', {})).toEqual(['rundll32.exe', 'url.dll,FileProtocolHandler', url])

    const folder = await temporaryFolder()
    const [browser, opened] = [join(folder, 'browser'), join(folder, 'opened')]
    await writeFile(browser, `#!/bin/sh\nprintf '%s\\n' "$@" > ${opened}\n`)
    await chmod(browser, 0o755)
    await openBrowser(url, { BROWSER: browser })
    await expect.poll(() => readFile(opened, 'utf8')).toBe(`${url}\n`)
    await expect(openBrowser(url, { BROWSER: join(folder, 'none') })).rejects.toThrow('ENOENT')
  })
})

describe('while a page is open', () => {
  test.each([
    ['d', 'done'],
    ['c', 'cancel'],
    ['\x03', 'cancel'],
  ])('%j means %s', async (key, reply) => {
    const { ui, see, type } = atTerminal()
    const waiting = ui.waiting(aWait())
    await see('Waiting for you to finish on sign.example.com (d: I am done, c: cancel)')
    type('x')
    type(key)
    expect(await waiting).toBe(reply)
  })

  test('progress is shown, and the wait ends when the server reports completion', async () => {
    const { ui, see } = atTerminal()
    const over = new AbortController()
    let tell = (_: string) => {}
    const waiting = ui.waiting(aWait({ signal: over.signal, onProgress: (listener) => (tell = listener) }))
    await see('Waiting for you')
    tell('half \x1b[2J way')
    await see('half ‹U+001B›[2J way')
    over.abort()
    expect(await waiting).toBe('done')
  })

  test('a question uses the terminal and then shows the wait again', async () => {
    const { ui, see, type } = atTerminal()
    const waiting = ui.waiting(aWait())
    await see('Waiting for you')
    const reply = ui.form(aForm())
    await see('› ')
    type('dd\r')
    await see('? › ')
    type('send\r')
    expect(await reply).toEqual({ action: 'accept', content: { name: 'dd' } })
    await see('Waiting for you')
    type('d')
    expect(await waiting).toBe('done')
  })

  test('nothing is redrawn on a terminal that cannot redraw', async () => {
    const { ui, see, type, shown } = atTerminal({ env: { TERM: 'dumb' } })
    const waiting = ui.waiting(aWait())
    await see('Waiting for you')
    type('d')
    await waiting
    expect(shown()).not.toContain('\x1b')
  })
})

describe('without a terminal', () => {
  const nowhere = { isTTY: false }

  test('a form that nobody can fill in fails at once and names its fields', async () => {
    const { ui } = atTerminal({}, nowhere)
    const asked = ui.form(aForm())
    await expect(asked).rejects.toThrow(InputNeeded)
    await expect(asked).rejects.toMatchObject({
      needs: 'answers',
      fields: ['name'],
      message: 'notes asks, but there is no terminal to ask at: “Who are you?” It needs: name.',
    })
    await expect(atTerminal({ answers: new Map([['name', 'x']]) }, nowhere).ui.form(aForm())).rejects.toThrow(
      'Name must have at least 2 characters. It needs: name.',
    )
  })

  test('answers given in advance fill in every kind of field, and are shown', async () => {
    const schema: FormSchema = {
      type: 'object',
      properties: {
        text: { type: 'string' },
        count: { type: 'integer' },
        sure: { type: 'boolean' },
        days: { type: 'array', items: { type: 'string', enum: ['mon', 'tue'] } },
        size: { type: 'string', enum: ['s', 'm'], default: 'm' },
        note: { type: 'string' },
      },
    }
    const answers = new Map<string, unknown>([
      ['text', 'a=b'],
      ['count', '3'],
      ['sure', 'yes'],
      ['days', ['mon', 'tue']],
      ['other', 'not asked for'],
    ])
    const { ui, shown } = atTerminal({ answers }, nowhere)
    expect(await ui.form(aForm({ schema, filled: { size: 'm' } }))).toEqual({
      action: 'accept',
      content: { text: 'a=b', count: 3, sure: true, days: ['mon', 'tue'], size: 'm' },
    })
    expect(shown().replaceAll('\n', ' ')).toContain('text = a=b, count = 3, sure = yes, days = mon, tue, size = m')
  })

  test('a form without required fields still needs a yes', async () => {
    const empty = aForm({ schema: { type: 'object', properties: {} } })
    await expect(atTerminal({}, nowhere).ui.form(empty)).rejects.toMatchObject({ needs: 'yes' })
    expect(await atTerminal({ yes: true }, nowhere).ui.form(empty)).toEqual({ action: 'accept', content: {} })
    await expect(atTerminal({ yes: true }, nowhere).ui.form(aForm())).rejects.toMatchObject({ needs: 'answers' })
  })

  test('a page is opened only with consent in advance, and never if its address has warnings', async () => {
    const odd = aPage({ warnings: ['punycode'] })
    await expect(atTerminal({}, nowhere).ui.consentToOpen(aPage())).rejects.toMatchObject({ needs: 'consent' })
    expect(await atTerminal({ yesOpen: true }, nowhere).ui.consentToOpen(aPage())).toBe('open')
    await expect(atTerminal({ yesOpen: true }, nowhere).ui.consentToOpen(odd)).rejects.toMatchObject({
      needs: 'person',
    })
  })

  test('a wait ends when its signal aborts', async () => {
    const over = new AbortController()
    const { ui, shown } = atTerminal({}, nowhere)
    const waiting = ui.waiting(aWait({ signal: over.signal }))
    over.abort()
    expect(await waiting).toBe('done')
    expect(shown()).toContain('waits until the page is completed')
  })
})

test('with some answers given in advance, the person is asked only for the others', async () => {
  const schema: FormSchema = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
    required: ['a', 'b'],
  }
  const { ui, see, type } = atTerminal({ answers: new Map([['a', 'given']]) })
  const reply = ui.form(aForm({ schema }))
  await see('2 of 2')
  await see('› ')
  type('typed\r')
  await see('1. A: given')
  await see('? › ')
  type('send\r')
  expect(await reply).toEqual({ action: 'accept', content: { a: 'given', b: 'typed' } })
})

test('wrapped lines contain the whole text, and none is too wide', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b', ' ', '語', '\n', '👍') }),
      fc.integer({ min: 2, max: 30 }),
      (text, width) => {
        const lines = wrap(text, width)
        expect(lines.join('').replace(/[ \n]/g, '')).toBe(text.replace(/[ \n]/g, ''))
        for (const line of lines) {
          expect([...line].reduce((cells, character) => cells + (character < 'ᄀ' ? 1 : 2), 0)).toBeLessThanOrEqual(
            width,
          )
        }
      },
    ),
  )
})
