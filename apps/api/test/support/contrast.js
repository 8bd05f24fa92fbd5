// Evaluated in a browser page. Returns the elements whose text has less contrast with its background than WCAG level AA
// requires. Source: WCAG 2.2, success criterion 1.4.3 and the definitions of contrast ratio and relative luminance.
;(() => {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const channelsOf = (color) => {
    context.clearRect(0, 0, 1, 1)
    context.fillStyle = color
    context.fillRect(0, 0, 1, 1)
    return [...context.getImageData(0, 0, 1, 1).data]
  }
  const linear = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4)
  const luminance = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  const backgroundOf = (element) => {
    const color = element === null ? [255, 255, 255, 255] : channelsOf(getComputedStyle(element).backgroundColor)
    return color[3] === 255 ? color : backgroundOf(element.parentElement)
  }
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue.trim() !== '')
  return [...document.body.querySelectorAll('*')]
    .filter((element) => hasText(element) && element.closest('.visually-hidden') === null)
    .map((element) => {
      const [darker, lighter] = [channelsOf(getComputedStyle(element).color), backgroundOf(element)].map(luminance).sort((a, b) => a - b)
      return { element, ratio: (lighter + 0.05) / (darker + 0.05) }
    })
    .filter(({ ratio }) => ratio < 4.5)
    .map(({ element, ratio }) => `${element.tagName}.${element.className}: ${ratio.toFixed(2)}`)
})()
