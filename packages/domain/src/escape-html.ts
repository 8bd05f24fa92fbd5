const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/**
 * Escapes a text for HTML, for the content of an element and for an attribute value in quotes.
 * An attribute value without quotes is not protected: white space ends it.
 * Source: OWASP Cross Site Scripting Prevention Cheat Sheet, "Output Encoding for HTML Contexts".
 */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
