import { lazy, Suspense } from 'react'
import { BrowserRouter, Route, Routes } from 'react-router-dom'
import { LoadingScreen } from '#components/loading-screen.tsx'
import { openingLink } from '#lib/auth-link.ts'
import { paths } from '#lib/paths.ts'
import { LandingPage } from '#pages/landing-page.tsx'
import { NotFoundPage } from '#pages/not-found-page.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { loadAuth, loadDashboard, loadLayout, preload } from './route-chunks.ts'

const SessionLayout = lazy(loadLayout)
const AuthPage = lazy(loadAuth)
const DashboardPage = lazy(loadDashboard)

// The frame and the page inside it are fetched side by side, not one after the other.
preload(window.location.pathname)

const landing = (
  <Route path={paths.landing} element={<LandingPage onIntent={() => preload(paths.auth)} />} />
)
// A confirmation link comes back to the site root: then the landing page needs the client as well.
const landingNeedsSession = openingLink.kind !== 'none'

export function App() {
  return (
    <ErrorBoundary>
      <BrowserRouter>
        <Suspense fallback={<LoadingScreen />}>
          <Routes>
            {landingNeedsSession ? null : landing}
            <Route element={<SessionLayout />}>
              {landingNeedsSession ? landing : null}
              <Route path={paths.auth} element={<AuthPage />} />
              <Route path={paths.dashboard} element={<DashboardPage />} />
            </Route>
            <Route path="*" element={<NotFoundPage />} />
          </Routes>
        </Suspense>
      </BrowserRouter>
    </ErrorBoundary>
  )
}
