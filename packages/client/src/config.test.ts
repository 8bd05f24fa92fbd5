import { describe, expect, it, vi } from 'vitest'
import { parseConfig } from './config.ts'

const apiKey = 'fp_secret'
const baseUrl = 'https://flowpost.example.com'

const messageOf = (options: Parameters<typeof parseConfig>[0]): string => {
  try {
    parseConfig(options)
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError)
    return (error as TypeError).message
  }
  throw new Error('The options are valid.')
}

describe('parseConfig', () => {
  it('reads the URL and the key from the environment', async () => {
    vi.stubEnv('FLOWPOST_BASE_URL', 'http://127.0.0.1:3000/')
    vi.stubEnv('FLOWPOST_API_KEY', 'fp_from_environment')
    const { baseUrl, credential } = parseConfig({})
    expect(baseUrl).toBe('http://127.0.0.1:3000')
    expect(await credential()).toBe('fp_from_environment')
  })

  it('prefers options to the environment', async () => {
    vi.stubEnv('FLOWPOST_BASE_URL', 'http://127.0.0.1:3000')
    vi.stubEnv('FLOWPOST_API_KEY', 'fp_from_environment')
    const config = parseConfig({ baseUrl, apiKey })
    expect(config.baseUrl).toBe(baseUrl)
    expect(await config.credential()).toBe(apiKey)
  })

  it('names the missing option', () => {
    vi.stubEnv('FLOWPOST_BASE_URL', '')
    vi.stubEnv('FLOWPOST_API_KEY', '')
    expect(messageOf({ apiKey })).toContain('FLOWPOST_BASE_URL')
    expect(messageOf({ baseUrl })).toContain('FLOWPOST_API_KEY')
  })

  it.each([
    ['https://flowpost.example.com', 'https://flowpost.example.com'],
    ['https://flowpost.example.com///', 'https://flowpost.example.com'],
    ['http://[::1]:3000/', 'http://[::1]:3000'],
    ['https://example.com/flowpost/', 'https://example.com/flowpost'],
  ])('accepts %s', (baseUrl, expected) => {
    expect(parseConfig({ baseUrl, apiKey }).baseUrl).toBe(expected)
  })

  it.each([
    'flowpost.example.com',
    'ftp://flowpost.example.com',
    'https://user:hunter2@flowpost.example.com',
    'https://flowpost.example.com?token=hunter2',
    'https://flowpost.example.com#hunter2',
    'https:// hunter2',
    'https://',
  ])('rejects the URL %s without quoting it', (invalidUrl) => {
    expect(messageOf({ baseUrl: invalidUrl, apiKey })).not.toContain('hunter2')
  })

  it.each(['fp_hunter2\n', 'fp hunter2', 'fp_hünter2', ' fp_hunter2'])('rejects the key %j without quoting it', (invalidKey) => {
    expect(messageOf({ baseUrl, apiKey: invalidKey })).not.toMatch(/h.nter2/)
  })

  it.each([
    { timeout: 0 },
    { timeout: -1 },
    { timeout: Number.NaN },
    { timeout: 2 ** 31 },
    { timeout: '500' },
    { attemptTimeout: 0 },
    { maxRetries: -1 },
    { maxRetries: 0.5 },
    { maxRetries: '2' },
    { maxRetries: Number.NaN },
  ])('rejects %o', (limits) => {
    expect(messageOf({ baseUrl, apiKey, ...(limits as object) })).toContain(Object.keys(limits)[0])
  })

  it('rejects a key that is not a string', () => {
    expect(messageOf({ baseUrl, apiKey: 42 as unknown as string })).toContain('apiKey')
  })

  it('accepts an infinite number of retries', () => {
    expect(parseConfig({ baseUrl, apiKey, maxRetries: Number.POSITIVE_INFINITY }).maxRetries).toBe(Number.POSITIVE_INFINITY)
  })

  it.each([
    ['a page', 'document', {}],
    ['a web worker', 'importScripts', () => {}],
  ])('rejects %s without dangerouslyAllowBrowser', (_, name, value) => {
    vi.stubGlobal(name, value)
    vi.stubGlobal('process', undefined)
    expect(messageOf({ baseUrl, apiKey })).toContain('dangerouslyAllowBrowser')
    expect(parseConfig({ baseUrl, apiKey, dangerouslyAllowBrowser: true }).baseUrl).toBe(baseUrl)
  })

  it('accepts jsdom, which has a document but is not a browser', () => {
    vi.stubGlobal('document', {})
    expect(parseConfig({ baseUrl, apiKey }).baseUrl).toBe(baseUrl)
  })
})
