import type { CustomPage } from 'assent/web'
import { html } from 'hono/html'

/** Shows terms to agree to. A yes needs the box ticked and the name typed. */
export const termsPage: CustomPage = {
  show: async ({ question }, { csrf, nonce }, errors) =>
    `${await html`<!doctype html>
      <html lang="en">
        <meta name="viewport" content="width=device-width">
        <title>Terms</title>
        <style nonce="${nonce}">body { font: 1rem sans-serif; max-width: 40rem; margin: 2rem auto }</style>
        <h1>Terms</h1>
        <p>${question.message}</p>
        ${errors.map(({ message }) => html`<p role="alert">${message}</p>`)}
        <form method="post">
          <input type="hidden" name="csrf" value="${csrf}">
          <label>Your name <input name="name"></label>
          <label><input type="checkbox" name="agreed"> I have read them</label>
          <button name="answer" value="accept">Agree</button>
          <button name="answer" value="decline">Do not agree</button>
        </form>
      </html>`}`,

  // Anything but a clear yes is a no.
  read: (form) =>
    form.get('answer') === 'accept' && form.has('agreed')
      ? { action: 'accept', content: { name: String(form.get('name') ?? '') } }
      : { action: 'decline' },
}
