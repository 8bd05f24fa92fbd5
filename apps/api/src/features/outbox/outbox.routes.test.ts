import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { FlowCreate, NotificationSend, ProjectCreate } from '@flowpost/contract'
import express from 'express'
import { describe, expect, test } from 'vitest'
import { serveOutbox, testId, testMessage } from '../../../test/support/outbox-server.ts'
import { firstMessageCommands } from './first-message.ts'

const page = async (url: string, init: RequestInit = {}): Promise<{ status: number; headers: Headers; body: string }> => {
  const response = await fetch(url, init)
  return { status: response.status, headers: response.headers, body: await response.text() }
}

const subjects = (body: string): string[] =>
  [...body.matchAll(/<h2 class="message-subject"><a [^>]*>([^<]*)/g)].map((match) => match[1] ?? '')
const linkTo = (body: string, label: string): string | undefined =>
  [...body.matchAll(/<a [^>]*href="([^"]*)"[^>]*>([^<]*)<\/a>/g)].find((match) => match[2] === label)?.[1]?.replaceAll('&amp;', '&')

const email = testMessage(7, {
  subject: 'Invoice & more',
  text: 'Pay at https://pay.example/7',
  html: '<h1>Pay</h1>',
  headers: [
    ['From', 'Billing <billing@example.com>'],
    ['X-Odd', '<b>\u0000\u001b[31m\u202e "quoted"'],
  ],
  raw: 'Subject: Invoice\r\n\r\nPay\r\n',
})
const chat = testMessage(8, {
  kind: 'chat',
  sourceType: 'slack',
  target: 'C024BE91L',
  headers: [],
  text: 'Deployed <3',
  raw: '{"channel":"C024BE91L","text":"Deployed &lt;3"}',
})

describe('the list', () => {
  test('shows recipient, subject, provider, time, project and flow of each message, newest first', async () => {
    await using server = await serveOutbox([email, chat])
    const { status, headers, body } = await page(`${server.origin}/outbox`)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(subjects(body)).toEqual(['Message 8', 'Invoice &amp; more'])
    expect(body).toContain('<bdi>ada@example.com</bdi>')
    expect(body).toContain('</span>slack</a>')
    expect(body).toContain('<time datetime="2026-11-21T09:07:00.000Z">21 Nov 2026, 09:07:00 UTC</time>')
    expect(body).toContain(`<code>${email.projectId}</code>`)
    expect(body).toContain(`<code>${email.flowId}</code>`)
    expect(body).toContain(`href="/outbox/${email.id}"`)
  })

  test('pages to older and newer messages without gaps or duplicates', async () => {
    const messages = Array.from({ length: 120 }, (_, number) => testMessage(number))
    await using server = await serveOutbox(messages)
    const walk = async (path: string, label: string): Promise<string[][]> => {
      const { body } = await page(server.origin + path)
      const next = linkTo(body, label)
      return [subjects(body), ...(next === undefined ? [] : await walk(next, label))]
    }
    const down = await walk('/outbox', 'Older →')
    expect(down.map((titles) => titles.length)).toEqual([50, 50, 20])
    expect(down.flat()).toEqual(messages.map(({ subject }) => subject).reverse())

    const second = linkTo((await page(`${server.origin}/outbox`)).body, 'Older →') ?? ''
    const third = linkTo((await page(server.origin + second)).body, 'Older →') ?? ''
    expect(await walk(third, '← Newer')).toEqual([...down].reverse())
    // New messages do not change older pages.
    messages.push(testMessage(999))
    expect(subjects((await page(server.origin + second)).body)).toEqual(down[1])
    expect(linkTo((await page(server.origin + third)).body, 'Newest')).toBe('/outbox/')
  })

  test('filters every page by provider', async () => {
    await using server = await serveOutbox(
      Array.from({ length: 130 }, (_, number) => testMessage(number, { sourceType: number % 2 === 0 ? 'smtp' : 'mailgun' })),
    )
    const first = await page(`${server.origin}/outbox?source_type=mailgun`)
    const second = await page(server.origin + (linkTo(first.body, 'Older →') ?? ''))
    expect([subjects(first.body).length, subjects(second.body).length]).toEqual([50, 15])
    expect(`${first.body}${second.body}`).not.toContain('</span>smtp</a>')
    expect(linkTo(second.body, 'Show all')).toBe('/outbox/')
    expect((await page(`${server.origin}/outbox?source_type=pager`)).body).toContain('No messages for <strong>pager</strong>')
  })

  test('shows the newest page for a malformed query', async () => {
    await using server = await serveOutbox([email])
    for (const query of ['?before=%00', '?before=<script>', `?before=${'x'.repeat(999)}`, '?newer=a&source_type=%20'])
      expect(subjects((await page(`${server.origin}/outbox${query}`)).body)).toEqual(['Invoice &amp; more'])
  })

  test('shows instructions while it is empty', async () => {
    await using server = await serveOutbox([])
    const { status, body } = await page(`${server.origin}/outbox`)
    expect(status).toBe(200)
    expect(body).toContain('Nothing captured yet')
    expect(body).toContain(`export FLOWPOST_BASE_URL=${server.origin}\n`)
    expect((await page(`${server.origin}/outbox?before=c1`)).body).toContain('There are no older messages.')
  })
})

test.skipIf(!existsSync('/bin/sh') || !existsSync('/usr/bin/curl'))(
  'sends a message with the commands that the empty list shows, each time in a new project',
  async () => {
    const seen: unknown[] = []
    await using server = await serveOutbox([], undefined, (app) => {
      app.use(express.json())
      app.post('/v1/settings/projects', (request, response) => {
        const { name } = ProjectCreate.parse(request.body)
        seen.push(name)
        response.status(201).json({ id: testId('prj', 5), name })
      })
      app.post('/v1/settings/projects/:id/flows', (request, response) => {
        seen.push([request.params.id, request.headers.authorization, FlowCreate.parse(request.body).source_type])
        response.status(201).json({})
      })
      app.post('/v1/notifications', (request, response) => {
        seen.push(NotificationSend.parse(request.body))
        response.status(202).json({ id: testId('ntf', 6) })
      })
      app.get('/v1/notifications/:id', (request, response) => {
        seen.push([request.params.id, new URL(request.url, server.origin).search])
        response.json({})
      })
    })
    await promisify(execFile)('/bin/sh', ['-euc', firstMessageCommands], {
      env: { PATH: '/usr/bin:/bin', FLOWPOST_BASE_URL: server.origin, FLOWPOST_API_KEY: 'fp_test' },
    })
    expect(seen).toEqual([
      expect.stringMatching(/^First steps \d{10}$/),
      [testId('prj', 5), 'Bearer fp_test', 'smtp'],
      expect.objectContaining({ project_id: testId('prj', 5), subject: 'Invoice 42', message: 'It is ready.' }),
      [testId('ntf', 6), '?wait=10'],
    ])
  },
)

describe('a message', () => {
  const tabs = (body: string): string[] =>
    [...body.matchAll(/<a href="[^"]*"( aria-current="page")?>([^<]*)<\/a>/g)]
      .map((match) => (match[1] ? '*' : '') + match[2])
      .filter((label) => /HTML|Text|Headers|ource/.test(label))

  test('opens with its HTML in a sandboxed frame', async () => {
    await using server = await serveOutbox([email])
    const { body } = await page(`${server.origin}/outbox/${email.id}`)
    expect(tabs(body)).toEqual(['*HTML', 'Text', 'Headers', 'Source'])
    expect(body).toContain(`<iframe sandbox="" referrerpolicy="no-referrer" src="/outbox/${email.id}/frame"`)
    expect(body).not.toContain('<h1>Pay</h1>')
    expect((await page(`${server.origin}/outbox/${email.id}/frame`)).body).toContain('<h1>Pay</h1>')
  })

  test('shows its text, headers and source', async () => {
    await using server = await serveOutbox([email])
    const view = async (name: string) => (await page(`${server.origin}/outbox/${email.id}/${name}`)).body
    const text = await view('text')
    expect(tabs(text)).toEqual(['HTML', '*Text', 'Headers', 'Source'])
    expect(text).toContain('<a href="https://pay.example/7" target="_blank" rel="noopener noreferrer nofollow">')
    expect(await view('headers')).toContain('<bdi>X-Odd</bdi></th><td><bdi>&lt;b&gt;␀␛[31m\u202e &quot;quoted&quot;</bdi></td>')
    expect(await view('source')).toContain('>\nSubject: Invoice\r\n\r\nPay\r\n</pre>')
  })

  test('for a chat has only a text and a JSON view', async () => {
    await using server = await serveOutbox([chat])
    const { body } = await page(`${server.origin}/outbox/${chat.id}`)
    expect(tabs(body)).toEqual(['*Text', 'JSON source'])
    expect(body).toContain('Deployed &lt;3')
    expect((await page(`${server.origin}/outbox/${chat.id}/source`)).body).toContain('  &quot;text&quot;: &quot;Deployed &amp;lt;3&quot;')
    for (const view of ['html', 'headers', 'frame']) expect((await page(`${server.origin}/outbox/${chat.id}/${view}`)).status).toBe(404)
  })

  test('without any body opens with its headers', async () => {
    await using server = await serveOutbox([testMessage(1, { text: null, html: null, subject: '' })])
    const { body } = await page(`${server.origin}/outbox/${testId('dlv', 1)}`)
    expect(tabs(body)).toEqual(['*Headers', 'Source'])
    expect(body).toContain('(no subject)')
  })

  test('is downloaded byte for byte', async () => {
    await using server = await serveOutbox([email, chat])
    const eml = await page(`${server.origin}/outbox/${email.id}/raw`)
    expect(eml.body).toBe(email.raw)
    expect(eml.headers.get('content-type')).toBe('message/rfc822')
    expect(eml.headers.get('content-disposition')).toBe(`attachment; filename="${email.id}.eml"`)
    const json = await page(`${server.origin}/outbox/${chat.id}/raw`)
    expect([json.body, json.headers.get('content-disposition')]).toEqual([chat.raw, `attachment; filename="${chat.id}.json"`])
  })

  test('is downloaded as text if it is the form that Mailgun takes', async () => {
    const raw = '--boundary\r\nContent-Disposition: form-data; name="to"\r\n\r\nada@example.com\r\n--boundary--\r\n'
    await using server = await serveOutbox([testMessage(1, { sourceType: 'mailgun', raw })])
    const path = `${server.origin}/outbox/${testId('dlv', 1)}`
    expect((await page(`${path}/source`)).body).toContain('Download .txt')
    const { body, headers } = await page(`${path}/raw`)
    expect([body, headers.get('content-type')]).toEqual([raw, 'text/plain; charset=utf-8'])
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${testId('dlv', 1)}.txt"`)
  })

  test.each([
    'dlv_unknown',
    'nothing',
    'dlv_1/else',
    '..%2f',
    `dlv_${'x'.repeat(5000)}`,
    'assets/outbox.css',
    'assets/..%2foutbox.routes.ts',
  ])('that does not exist (%s) returns 404 with a link to the list', async (path) => {
    await using server = await serveOutbox([email])
    const { status, headers, body } = await page(`${server.origin}/outbox/${path}`)
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(linkTo(body, 'All captured messages')).toBe('/outbox/')
  })
})

test('returns the same headers for HEAD as for GET, without a body', async () => {
  await using server = await serveOutbox([email])
  const style = /href="([^"]+\.css)"/.exec((await page(`${server.origin}/outbox`)).body)?.[1]
  for (const path of [
    '/outbox',
    `/outbox/${email.id}`,
    `/outbox/${email.id}/frame`,
    `/outbox/${email.id}/raw`,
    style,
    '/outbox/dlv_unknown',
  ]) {
    const [get, head] = [await page(server.origin + path), await page(server.origin + path, { method: 'HEAD' })]
    expect([head.status, head.body, head.headers.get('content-length')]).toEqual([get.status, '', get.headers.get('content-length')])
    expect(head.headers.get('content-security-policy')).toBe(get.headers.get('content-security-policy'))
  }
})

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('returns 405 to %s', async (method) => {
  await using server = await serveOutbox([email])
  for (const path of ['/outbox', `/outbox/${email.id}`, '/outbox/none']) {
    const { status, headers } = await page(server.origin + path, { method })
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  }
})

test('passes errors from the store to the application', async () => {
  await using server = await serveOutbox(null as never, undefined, (app) => {
    app.use(((error, _request, response, _next) => {
      response.status(500).json({ failure: error instanceof Error })
    }) satisfies express.ErrorRequestHandler)
  })
  for (const path of ['/outbox', `/outbox/${email.id}`])
    expect(await page(server.origin + path)).toMatchObject({ status: 500, body: '{"failure":true}' })
})
