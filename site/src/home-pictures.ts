// Encodes the home page's pictures as WebP in Chromium, because the PNG files are twice as large.
import { readFileSync, writeFileSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { findChromium } from '../../scripts/chromium.ts'
import { repositoryRoot } from './repository.ts'

const pictures = ['docs/images/outbox-message-light', 'docs/images/outbox-message-dark']
const quality = 0.82

/** Encodes a picture as a WebP data URL. Runs in the browser page. */
const encode = async ([source, quality]: readonly [string, number]): Promise<string> => {
  const image = new Image()
  image.src = source
  await image.decode()
  const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
  canvas.getContext('2d')?.drawImage(image, 0, 0)
  return canvas.toDataURL('image/webp', quality)
}

const executablePath = findChromium()
if (executablePath === undefined) throw new Error('Chromium was not found. Set CHROMIUM_PATH to its path.')
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  const page = await browser.newPage()
  for (const picture of pictures) {
    const png = readFileSync(`${repositoryRoot}${picture}.png`).toString('base64')
    const url = await page.evaluate(encode, [`data:image/png;base64,${png}`, quality] as const)
    writeFileSync(`${repositoryRoot}${picture}.webp`, Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'))
  }
} finally {
  await browser.close()
}
