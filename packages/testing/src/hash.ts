const lanes = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f]

/**
 * A digest of a text in 32 hexadecimal digits: the same text, the same digest. It tells representations apart and is
 * no protection against somebody who looks for collisions. WebCrypto would be, but is asynchronous, and what a mock
 * does with one request must not be interleaved with another.
 */
export const digest = (text: string): string =>
  lanes
    .map((seed, lane) => {
      let hash = seed
      for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ (text.charCodeAt(at) + lane), 0x01000193 + 2 * lane)
      hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
      hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
      return ((hash ^ (hash >>> 16)) >>> 0).toString(16).padStart(8, '0')
    })
    .join('')
