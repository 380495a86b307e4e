import { Suspense } from 'react'
import { BrowserRouter, Route, Routes, useLocation } from 'react-router-dom'
import { LoadingScreen } from '#components/loading-screen.tsx'
import { openingLink } from '#lib/auth-link.ts'
import { paths } from '#lib/paths.ts'
import { LandingPage } from '#pages/landing-page.tsx'
import { NotFoundPage } from '#pages/not-found-page.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { AuthPage, DashboardPage, preload, SessionLayout } from './route-chunks.tsx'
import { routes } from './routes.ts'

const landing = (
  <Route path={paths.landing} element={<LandingPage onIntent={() => void preload(paths.auth)} />} />
)
// A confirmation link comes back to the site root: then the landing page needs the client as well.
const landingNeedsSession = openingLink.kind !== 'none'

function Screen() {
  const { pathname } = useLocation()
  // The router would match `/auth/` and `/Dashboard`; the specification wants «not found» for them.
  if (!Object.hasOwn(routes, pathname)) return <NotFoundPage />
  return (
    <Routes>
      {landingNeedsSession ? null : landing}
      <Route element={<SessionLayout />}>
        {landingNeedsSession ? landing : null}
        <Route path={paths.auth} element={<AuthPage />} />
        <Route path={paths.dashboard} element={<DashboardPage />} />
      </Route>
    </Routes>
  )
}

export function App() {
  return (
    <ErrorBoundary>
      <BrowserRouter>
        <Suspense fallback={<LoadingScreen />}>
          <Screen />
        </Suspense>
      </BrowserRouter>
    </ErrorBoundary>
  )
}
