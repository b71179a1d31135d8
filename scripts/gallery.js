/** Writes a picture of every page, in every variant, light and dark, wide and narrow, into `gallery/`. */
process.env.ASSENT_GALLERY = process.argv[2] ?? 'gallery'
process.argv.splice(2, 1, 'test/web/gallery.test.ts')
await import('./test.js')
