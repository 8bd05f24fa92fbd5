import fc from 'fast-check'
import { expect, test } from 'vitest'
import { messageFrameDocument } from './message-frame.ts'

test('leaves no link and no frame, however it is spelled', () => {
  const tag = fc.mixedCase(fc.constantFrom('<link', '<iframe', '<frame'))
  const after = fc.constantFrom(' ', '\t', '\n', '\f', '\r', '/', '>')
  fc.assert(
    fc.property(fc.array(fc.oneof(tag, after, fc.string())), tag, after, (noise, last, end) => {
      const body = noise.join('') + last + end
      expect(messageFrameDocument(body)).not.toMatch(/<(?:link|i?frame)[\t\n\f\r />]/i)
    }),
  )
})

test('closes what stands for a frame, so that it swallows nothing', () => {
  expect(messageFrameDocument('<p>a</p><IFRAME src="//a.example">b</IFRAME ><p>c</p>')).toMatch(
    /<p>a<\/p><x-frame src="\/\/a.example">b<\/x-frame ><p>c<\/p>$/,
  )
})

test('changes nothing else', () => {
  const body = '<!doctype html><html><head><style>a{}</style></head><frameset></frameset>&lt;link <linkage> <b>link, iframe</b></html>'
  expect(messageFrameDocument(body).endsWith(body)).toBe(true)
})
